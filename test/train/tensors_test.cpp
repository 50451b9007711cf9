// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/tensors.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace tensors_test {

using namespace ipuflow;

namespace {

using network = std::remove_cvref_t<decltype(test::small_network)>;
constexpr auto halves = regroup(test::small_network, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());

static_assert(train::impl::offsets_of<network>.values[1] == 3 * 9 + 3 + 3 + 3);
static_assert(train::impl::offsets_of<network>.values[2] == 36 + 48 * 8 + 8);
static_assert(train::impl::offsets_of<network>.all_values() == 36 + 392 + 8 * 6 + 6 + 6 * 4 + 4);
static_assert(train::impl::offsets_of<network>.all_state() == 6);
static_assert(train::impl::offsets_of<std::remove_cvref_t<decltype(halves)>>.values[1] == 36 + 392);

std::size_t total(const ipuflow::light_vector<train::impl::piece>& pieces, std::size_t replica) {
  std::size_t sum = 0;
  for (const auto& p : pieces) sum += p.replica == replica ? p.count : 0;
  return sum;
}

}  // namespace

TEST_CASE("weights and biases are tensors of their own, in one row without gaps") {
  const auto tensors = train::impl::tensors_of(train::impl::layout_of<network>);
  REQUIRE(tensors.size() == 10);  // of five layers
  CHECK(tensors[0] == train::impl::piece{0, 0, 0, 27});
  CHECK(tensors[1] == train::impl::piece{0, 27, 27, 3});
  CHECK(tensors[2] == train::impl::piece{0, 30, 30, 3});
  CHECK(tensors[4] == train::impl::piece{1, 36, 0, 384});
  std::size_t next = 0;
  for (const auto& t : tensors) {
    CHECK(t.begin == next);
    next += t.count;
  }
  CHECK(next == train::impl::offsets_of<network>.all_values());
}

TEST_CASE("grouping moves stages, not numbers") {
  const auto before = train::impl::tensors_of(train::impl::layout_of<network>);
  const auto after = train::impl::tensors_of(train::impl::layout_of<std::remove_cvref_t<decltype(halves)>>);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].begin == after[i].begin);
    CHECK(before[i].count == after[i].count);
  }
}

TEST_CASE("shards: equal parts of every tensor, or whole tensors to whoever has least") {
  const auto tensors = train::impl::tensors_of(train::impl::layout_of<network>);
  const std::size_t all = train::impl::offsets_of<network>.all_values();
  const auto cut = train::impl::sharded(tensors, 3, false);
  const auto whole = train::impl::sharded(tensors, 3, true);
  CHECK(whole.size() == tensors.size());
  CHECK(total(cut, 0) + total(cut, 1) + total(cut, 2) == all);
  CHECK(total(whole, 0) + total(whole, 1) + total(whole, 2) == all);
  for (std::size_t r = 0; r < 3; ++r) CHECK(total(cut, r) <= all / 3 + tensors.size());
  CHECK(train::impl::sharded(tensors, 1, false) == tensors);
}

}  // namespace tensors_test
