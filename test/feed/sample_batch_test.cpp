// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sample_batch_test {

using namespace ipuflow;
using namespace ipuflow::feed;

using image = std::span<const float, 2>;
using digits = sample_batch<image, std::uint8_t>;
static_assert(std::is_same_v<sample_batch_t<std::tuple<std::span<float, 2>, const std::uint8_t&>>, digits>);
static_assert(std::is_same_v<sample_batch_t<const std::pair<image, std::uint8_t>&>, digits>);
static_assert(std::is_same_v<sample_batch_t<int>, sample_batch<int>>);
static_assert(std::ranges::forward_range<digits> && std::copyable<digits>);

TEST_CASE("a batch is columns, and samples") {
  const float pixels[] = {1, 2, 3, 4, 5, 6};
  const std::uint8_t labels[] = {7, 8, 9};
  const digits b{3, {{pixels, 3}, {labels, 3}}};
  auto& [images, numbers] = b;
  CHECK(images.elements().data() == pixels);
  CHECK(numbers.size() == 3);
  CHECK(std::get<0>(b[1])[0] == 3);
  CHECK(b.size_bytes() == 27_B);
  std::size_t sum = 0;
  for (const auto& [picture, number] : b) sum += number + static_cast<std::size_t>(picture[1]);
  CHECK(sum == 24 + 12);
  const auto sizes = [](const auto& i, const auto& n) { return i.size() + n.size(); };
  CHECK(std::apply(sizes, b.columns()) == 6);  // from C++23 on not `b`, which only derives from a tuple
  const std::vector<digits> batches{b};
  CHECK((batches | map(sizes))[0] == 6);
  const digits rest = b.part(1, 2);
  CHECK(rest.size() == 2);
  CHECK(std::get<1>(rest[1]) == 9);
}

namespace {

struct memory final : feed::impl::leased {
  int numbers[2] = {1, 2};
  bool given_back = false;
  void give_back() noexcept override { given_back = true; }
};

}  // namespace

TEST_CASE("a part keeps the memory of the whole") {
  memory m;
  sample_batch<int> part;
  {
    const sample_batch<int> all{2, {{m.numbers, 2}}, feed::impl::lease{m}};
    part = all.part(1, 1);
  }
  CHECK(part[0] == 2);
  CHECK(!m.given_back);
  part = {};
  CHECK(m.given_back);
}

}  // namespace sample_batch_test
