// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/replica_sum.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <vector>

namespace replica_sum_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

template <class Element>
std::vector<std::byte> bytes_from(std::vector<Element> values) {
  const auto raw = std::as_bytes(std::span{values});
  return {raw.begin(), raw.end()};
}

template <class Element>
std::vector<Element> values_from(const std::vector<std::byte>& raw) {
  std::vector<Element> values(raw.size() / sizeof(Element));
  std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

}  // namespace

TEST_CASE("parts follow each other, or are added element by element") {
  const replica_bytes parts{bytes_from<float>({1, 2}), bytes_from<float>({10, 20}), bytes_from<float>({100, 200})};
  CHECK(values_from<float>(summed(parts, element_type::f32)) == std::vector<float>{111, 222});
  CHECK(values_from<float>(gathered(parts)) == std::vector<float>{1, 2, 10, 20, 100, 200});
  CHECK(values_from<std::int32_t>(
            summed({bytes_from<std::int32_t>({-5}), bytes_from<std::int32_t>({3})}, element_type::i32))[0] == -2);
  CHECK(values_from<std::uint8_t>(
            summed({bytes_from<std::uint8_t>({5}), bytes_from<std::uint8_t>({3})}, element_type::u8))[0] == 8);
  CHECK(values_from<std::uint32_t>(
            summed({bytes_from<std::uint32_t>({5}), bytes_from<std::uint32_t>({3})}, element_type::u32))[0] == 8);
}

TEST_CASE("halves are rounded once") {
  // 2048 + 1 + 1 is 2050 in float; adding in half would stay at 2048 twice.
  const replica_bytes parts{bytes_from<half>({half{2048}}), bytes_from<half>({half{1}}), bytes_from<half>({half{1}})};
  CHECK(float{values_from<half>(summed(parts, element_type::f16))[0]} == 2050);
}

TEST_CASE("sums of whole numbers wrap around, as a tile's do") {
  const std::int32_t large = 2'000'000'000;
  CHECK(values_from<std::int32_t>(summed({bytes_from<std::int32_t>({large}), bytes_from<std::int32_t>({large})}, element_type::i32))[0] == -294'967'296);
  CHECK(values_from<std::uint8_t>(summed({bytes_from<std::uint8_t>({200}), bytes_from<std::uint8_t>({100})}, element_type::u8))[0] == 44);
}

}  // namespace replica_sum_test
