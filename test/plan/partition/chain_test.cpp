// SPDX-License-Identifier: BSL-1.0
// Chains and rules that cannot be balanced are told apart, from both sides of each limit.
#include <ipuflow/plan/partition/balance.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace chain_test {

using namespace ipuflow;
using namespace ipuflow::plan;

namespace {

using blocks = std::vector<chain_block>;

balance_wrong wrong(const blocks& chain, const balance_options& o) { return verify_balance(chain, o).kind; }

constexpr std::size_t huge = std::size_t{1} << 62;

}  // namespace

TEST_CASE("numbers of blocks and stages") {
  CHECK(wrong({}, {.stages = 1}) == balance_wrong::no_blocks);
  CHECK(wrong(blocks(3), {.stages = 0}) == balance_wrong::no_stages);
  CHECK(wrong(blocks(3), {.stages = 4}) == balance_wrong::too_few_blocks);
  CHECK(wrong(blocks(3), {.stages = 4, .fewer_stages = true}) == balance_wrong::nothing);
  CHECK(wrong(blocks(3), {.stages = std::size_t(-1), .fewer_stages = true}) == balance_wrong::nothing);  // stages that there cannot be cost nothing
  CHECK(wrong(blocks(3), {.stages = std::size_t(-1), .fewer_stages = true, .load = load_kind::copies, .link = {0}}) == balance_wrong::no_rate);
  CHECK(wrong(blocks(3), {.stages = 3}) == balance_wrong::nothing);
  CHECK(wrong(blocks(plan::impl::most_blocks + 1), {.stages = 1}) == balance_wrong::too_many_blocks);
  CHECK(wrong(blocks(plan::impl::most_blocks), {.stages = 1}) == balance_wrong::nothing);
}

TEST_CASE("lists of chips and links") {
  const chain_chip chips[3]{};
  const chain_link links[3]{{1}, {1}, {1}};
  CHECK(verify_balance(blocks(5), {.stages = 4, .chips = chips}) == balance_fault{balance_wrong::other_chips, 3, 4});
  CHECK(verify_balance(blocks(5), {.stages = 3, .links = links}) == balance_fault{balance_wrong::other_links, 3, 2});
  CHECK(wrong(blocks(5), {.stages = 3, .chips = chips}) == balance_wrong::nothing);
  CHECK(wrong(blocks(5), {.stages = 4, .links = links}) == balance_wrong::nothing);
}

TEST_CASE("speeds and rates") {
  const chain_chip chips[]{{}, {.speed = 0}};
  const balance_fault slow = verify_balance(blocks(5), {.stages = 2, .chips = chips});
  CHECK(slow == balance_fault{balance_wrong::no_speed, 0, 1, {.stage = 1}});
  CHECK(wrong(blocks(5), {.measured_at = 0}) == balance_wrong::no_speed);
  CHECK(wrong(blocks(5), {.chip = {.speed = huge}}) == balance_wrong::no_speed);
  CHECK(wrong(blocks(5), {.chip = {.speed = huge - 1}}) == balance_wrong::nothing);
  CHECK(verify_balance(blocks(5), {.stages = 3, .load = load_kind::copies}) == balance_fault{balance_wrong::no_rate, 0, 1});
  CHECK(wrong(blocks(5), {.load = load_kind::overlap}) == balance_wrong::no_rate);
  CHECK(wrong(blocks(5), {.load = load_kind::overlap, .link = {1}}) == balance_wrong::nothing);
  CHECK(wrong(blocks(5), {.stages = 1, .load = load_kind::copies}) == balance_wrong::nothing);
}

TEST_CASE("sums that would wrap around are refused, and not those below") {
  CHECK(wrong({{huge / 2}}, {.stages = 1}) == balance_wrong::time_too_large);
  CHECK(wrong({{huge / 2 - 1}}, {.stages = 1}) == balance_wrong::nothing);
  CHECK(wrong({{0, huge}}, {.stages = 1}) == balance_wrong::time_too_large);
  const balance_fault second = verify_balance(blocks{{0, huge / 2}, {0, huge / 2}}, {.stages = 2});
  CHECK(second == balance_fault{balance_wrong::time_too_large, 0, 0, {.first = 1}});
  CHECK(wrong({{huge / 20}}, {.stages = 1, .measured_at = 10}) == balance_wrong::time_too_large);
  CHECK(wrong({{huge / 21}}, {.stages = 1, .measured_at = 10}) == balance_wrong::nothing);
  CHECK(wrong({{0, 0, huge / 2}}, {.stages = 1}) == balance_wrong::bytes_too_large);
  CHECK(wrong({{0, 0, 0, huge / 4}}, {.stages = 1}) == balance_wrong::bytes_too_large);
  CHECK(wrong({{0, 0, 0, huge / 5}}, {.stages = 1}) == balance_wrong::nothing);
  CHECK(wrong({{0, 0, 0, huge / 5}}, {.stages = 1, .parameter_copies = huge}) == balance_wrong::bytes_too_large);
  CHECK(wrong({{0, 0, 0, 0, huge / 2}, {}}, {.stages = 2}) == balance_wrong::bytes_too_large);
  CHECK(wrong({{0, 0, 0, 0, huge / 3}, {}}, {.stages = 2}) == balance_wrong::nothing);
  CHECK(wrong({{0, 0, huge / 3}, {}}, {.stages = 2, .load = load_kind::copies, .link = {1}}) == balance_wrong::time_too_large);
  CHECK(wrong({{}, {}}, {.stages = 2, .load = load_kind::copies, .link = {1, huge}}) == balance_wrong::time_too_large);
  CHECK(wrong({{0, 0, huge / 5}, {}}, {.stages = 2, .load = load_kind::copies, .link = {1}}) == balance_wrong::nothing);
  CHECK(wrong({{}, {}}, {.stages = 2, .load = load_kind::copies, .link = {1, huge / 5}}) == balance_wrong::nothing);
  CHECK(wrong({{1, 2, 3, 4, ~std::size_t{0}}}, {.stages = 1}) == balance_wrong::bytes_too_large);
}

TEST_CASE("the largest times that are allowed are balanced exactly") {
  const std::size_t half = huge / 8;
  const auto p = balance(blocks{{0, half}, {0, half + 1}, {0, half}, {0, half - 1}}, {.stages = 2});
  CHECK(p.bottleneck == 2 * half + 1);
  CHECK(p.lower_bound == 2 * half);
  CHECK(p.cuts == std::vector<std::size_t>{2});
  const auto fast = balance(blocks{{0, half}, {0, half}}, {.stages = 2, .chip = {.speed = huge - 1}});
  CHECK(fast.bottleneck == 1);
}

}  // namespace chain_test
