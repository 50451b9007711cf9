// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/half_span.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace half_span_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("every half widens to the bits of its own conversion") {
  std::vector<half> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
  std::vector<float> wide(all.size());
  widen(std::span<const half>{all}, wide.data());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    wrong += std::bit_cast<std::uint32_t>(wide[i]) != std::bit_cast<std::uint32_t>(float{all[i]}) ? 1u : 0u;
  CHECK(wrong == 0);
}

TEST_CASE("floats of every exponent, and around every tie, narrow to the bits of half's own conversion") {
  std::vector<float> wide;
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 65521)
    wide.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (std::uint32_t h = 0; h < 0x7c00; h += 3) {  // halfway between neighbours, and one place to either side
    half low, high;
    low.bits = static_cast<std::uint16_t>(h);
    high.bits = static_cast<std::uint16_t>(h + 1);
    const float middle = (float{low} + float{high}) / 2;
    const auto at = std::bit_cast<std::uint32_t>(middle);
    for (const std::uint32_t near : {at - 1, at, at + 1}) {
      wide.push_back(std::bit_cast<float>(near));
      wide.push_back(-std::bit_cast<float>(near));
    }
  }
  std::vector<half> made(wide.size());
  narrow(wide.data(), std::span{made});
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) wrong += made[i].bits != half{wide[i]}.bits ? 1u : 0u;
  CHECK(wrong == 0);
}

}  // namespace half_span_test
