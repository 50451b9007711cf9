// SPDX-License-Identifier: BSL-1.0
// The parts of the search that `balance` shows only together: depths, lower bounds, and the closest partition that does not fit.
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/plan/partition/balance_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace balance_search_test {

using namespace ipuflow;
using namespace ipuflow::plan;

TEST_CASE("depths are those of a rule or of a list") {
  const auto ruled = plan::impl::depths_of(depth_of_1f1b{}, 3);
  CHECK(std::equal(ruled.begin(), ruled.end(), per_stage(3, 2, 1).begin()));
  const auto listed = plan::impl::depths_of(per_stage(7, 5), 2);
  CHECK(std::equal(listed.begin(), listed.end(), per_stage(7, 5).begin()));
  CHECK(plan::impl::depths_of(per_stage(7, 5), 3).empty());
}

TEST_CASE("the lower bound is the longest block or the mean of all chips") {
  const dynamic_array<std::size_t> depths{2, 1};
  const chain_chip chips[]{{.speed = 3}, {.speed = 5}};
  const balance_options o{.stages = 2, .chips = chips, .measured_at = 2};
  const auto bound = [&](const std::vector<chain_block>& blocks) {
    return plan::impl::lower_bound_of(plan::impl::chain_costs{blocks, o, 2, depths}, o);
  };
  CHECK(bound({{10, 0}, {0, 10}, {10, 10}}) == 10);  // 40 * 2 / 8
  CHECK(bound({{10, 0}, {0, 10}, {10, 11}}) == 11);
  CHECK(bound({{1, 0}, {0, 1}, {50, 50}}) == 40);  // 100 * 2 / 5
}

TEST_CASE("the fault is of the stage that lacks the most in the partition that lacks the least") {
  const std::vector<chain_block> blocks{{1, 1, 0, 5}, {1, 1, 0, 9}, {1, 1, 0, 2}, {1, 1, 0, 7}, {1, 1, 0, 30}};
  const balance_options o{.stages = 3, .chip = {.memory = 10}, .parameter_copies = 1};
  const auto found = plan::impl::search_partition(blocks, o, depth_of_1f1b{});
  CHECK(found.fault == balance_fault{balance_wrong::does_not_fit, 30, 10, {2, 4, 5, 3}});
  balance_options fewer = o;
  fewer.chip.memory = 29;
  fewer.fewer_stages = true;  // two stages come as close as three, and are named
  CHECK(plan::impl::search_partition(blocks, fewer, depth_of_1f1b{}).fault ==
        balance_fault{balance_wrong::does_not_fit, 30, 29, {1, 4, 5, 2}});
  fewer.chip.memory = 100;  // and all blocks in one stage are as good as two where the times are those of one block
  const std::vector<chain_block> one_long{{0, 0}, {7, 7}, {0, 0}};
  CHECK(plan::impl::search_partition(one_long, fewer, depth_of_1f1b{}).begins.size() == 2);
  fewer.stages = 9;  // more than there are blocks
  CHECK(plan::impl::search_partition(one_long, fewer, depth_of_1f1b{}).begins.size() == 2);
  CHECK(plan::impl::search_partition(blocks, fewer, depth_of_1f1b{}).begins.size() == 6);
}

}  // namespace balance_search_test
