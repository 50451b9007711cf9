// SPDX-License-Identifier: BSL-1.0
// Lists that come in at run time are checked by the same functions as types. Oracle: counting and sorting, for every list of a
// few blocks and stages. Vectors of automatic staging: PopTorch's pipelining tests.
#include <ipuflow/graph/placement.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace placement_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

using names = std::vector<std::string_view>;
using listed = std::vector<listed_block>;

listed_block entry(std::string_view name, std::size_t stage, std::size_t branch = 0, std::size_t ipu = unplaced) {
  return {fixed_string<60>{name}, stage, branch, ipu};
}

const names abcd{"a", "b", "c", "d"};

// Three stages; the second has two branches, the first two blocks.
constexpr placement<5> forked{{0, 0, 1, 1, 2}, {0, 0, 0, 1, 0}, {4, 4, 5, 6, 4}};
static_assert(forked.stages() == 3 && forked.blocks == 5);
static_assert(forked.branches(0) == 1 && forked.branches(1) == 2 && forked.branches(2) == 1);
static_assert(forked.first_block(0) == 0 && forked.first_block(1) == 2 && forked.first_block(2) == 4);
static_assert(forked.starts_stage(0) && !forked.starts_stage(1) && forked.starts_stage(2) && !forked.starts_stage(3));
static_assert(forked.starts_branch(3) && !forked.starts_branch(1));
static_assert(accept<verify_ipus(forked, bounded_vector<ipu_list, 3>{{ipus(0), ipus(1, 2), ipus(3)}, 3})>());
static_assert(placed_on(forked, bounded_vector<ipu_list, 3>{{ipus(9), ipus(8, 7), ipus(6)}, 3}) ==
              placement<5>{{0, 0, 1, 1, 2}, {0, 0, 0, 1, 0}, {9, 9, 8, 7, 6}});

/// Each block in a stage of its own.
template <std::size_t Blocks>
constexpr placement<Blocks> in_a_row(const std::size_t (&ipu)[Blocks]) {
  placement<Blocks> where;
  for (std::size_t b = 0; b < Blocks; ++b) where.stage[b] = b, where.ipu[b] = ipu[b];
  return where;
}

// One list in stages 0, 1, 2, ... for every sequence of stages.
template <class Check>
void for_sequences(std::size_t length, std::size_t values, Check&& check) {
  std::vector<std::size_t> digits(length, 0);
  for (;;) {
    check(digits);
    std::size_t i = 0;
    while (i < length && ++digits[i] == values) digits[i++] = 0;
    if (i == length) return;
  }
}

}  // namespace

TEST_CASE("names are refused exactly if one comes twice") {
  for_sequences(4, 4, [](const std::vector<std::size_t>& digits) {
    std::vector<std::string> given;
    for (const std::size_t d : digits) given.push_back(std::string(1, static_cast<char>('a' + d)));
    const bool repeated = std::set<std::string>(given.begin(), given.end()).size() < given.size();
    const graph_fault found = verify_names(given);
    CHECK(found.kind == (repeated ? graph_wrong::repeated_block : graph_wrong::nothing));
    if (repeated) CHECK(given[found.got] == given[found.limit]);
  });
  CHECK_THROWS_WITH_AS(throw_if(verify_names(names{"a", "b", "a"})),
                       "ipuflow: two blocks are called 'a', number 0 and number 2; give every block a name of its own", error);
}

TEST_CASE("names of 1 to 60 characters are accepted, and others refused with their length") {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string name(length, 'x');
    const graph_fault found = verify_names(std::vector<std::string>{"a", name});
    CHECK(found.kind == (length == 0   ? graph_wrong::unnamed_block
                         : length > 60 ? graph_wrong::long_name
                                       : graph_wrong::nothing));
    if (found) CHECK((found.got == length && found.limit == 60));
  }
  CHECK_THROWS_WITH_AS(throw_if(verify_names(names{"a", ""})),
                       "ipuflow: a block has an empty name; give it one, as in block<\"encoder\">(op...)", error);
  CHECK_THROWS_WITH_AS(
      throw_if(verify_names(names{"a_block_whose_name_tells_all_that_can_be_said_of_it_and_then_a_bit_more"})),
      "ipuflow: block 'a_block_whose_name_tells_all_that_can_be_said_of_it_and_t...' has a name of 71 characters; choose "
      "one of at most 60",
      error);
}

TEST_CASE("a grouping is accepted exactly if every block comes once and none before the block before it") {
  for_sequences(4, 6, [](const std::vector<std::size_t>& digits) {
    listed list;
    for (std::size_t b = 0; b < 4; ++b) list.push_back(entry(abcd[b], digits[b] / 2, digits[b] % 2));
    const graph_wrong kind = verify_grouping(abcd, list).kind;
    CHECK((kind == graph_wrong::nothing) == std::is_sorted(digits.begin(), digits.end()));
    std::vector<std::size_t> stages;
    for (const std::size_t d : digits) stages.push_back(d / 2);
    if (std::is_sorted(stages.begin(), stages.end())) CHECK(kind != graph_wrong::ids_descend);

    // The order of the list counts within a branch only.
    listed shuffled{list[2], list[0], list[3], list[1]};
    const graph_wrong then = verify_grouping(abcd, shuffled).kind;
    const bool swapped = digits[0] == digits[2] || digits[1] == digits[2] || digits[1] == digits[3];
    if (kind == graph_wrong::nothing) CHECK((then == graph_wrong::names_descend) == swapped);
    if (!swapped) CHECK(then == kind);
    listed without{list[0], list[1], list[3]};
    CHECK(verify_grouping(abcd, without));
    listed twice = list;
    twice.push_back(list[0]);
    CHECK(verify_grouping(abcd, twice).kind == graph_wrong::block_in_two_stages);
  });
}

TEST_CASE("a bad grouping throws what a constant would have said") {
  CHECK_THROWS_WITH_AS(throw_if(verify_grouping(abcd, listed{})),
                       "ipuflow: a pipeline or stage without blocks does nothing; give it block<...>(op...)", error);
  CHECK_THROWS_WITH_AS(throw_if(verify_grouping(names{"a", "b"}, listed{entry("a", 0), entry("b", 0), entry("b", 1)})),
                       "ipuflow: block 'b' is in stage 0 and in stage 1; name it once", error);
  CHECK_THROWS_WITH_AS(throw_if(verify_grouping(names{"a", "b", "c"}, listed{entry("a", 0), entry("b", 1)})),
                       "ipuflow: block 'c' is in none of the 2 stages; add it to one", error);
  CHECK_THROWS_WITH_AS(throw_if(verify_grouping(names{"a", "b"}, listed{entry("b", 0), entry("a", 1)})),
                       "ipuflow: block 'b' is in stage 0 but the block before it in stage 1; stages follow the data, so "
                       "list blocks in the order in which it flows",
                       error);
  CHECK_THROWS_WITH_AS(
      throw_if(verify_grouping(names{"a", "b", "c"}, listed{entry("a", 0, 0), entry("c", 0, 0), entry("b", 0, 1)})),
      "ipuflow: block 'c' is in branch 0 of stage 0 but the block before it in branch 1; list the branches in the order of "
      "their blocks",
      error);
}

TEST_CASE("an unknown name is told with all that there are") {
  CHECK_FALSE(verify_known(abcd, listed{entry("d", 0), entry("a", 1)}));
  CHECK_THROWS_WITH_AS(throw_if(verify_known(names{"a", "b", "c"}, listed{entry("a", 0), entry("B2", 0)})),
                       "ipuflow: there is no block 'B2'; the blocks are a, b, c", error);
}

TEST_CASE("a list of IPUs is accepted exactly if it has an entry for each stage and in it one for each branch") {
  for (std::size_t length = 0; length < 6; ++length) {
    for_sequences(length, 4, [&](const std::vector<std::size_t>& sizes) {
      std::vector<ipu_list> list;
      for (const std::size_t size : sizes) {
        list.emplace_back();
        for (std::size_t i = 0; i < size; ++i) list.back().push_back(i);
      }
      const graph_wrong wanted = length != 3                                ? graph_wrong::lists_differ
                                 : sizes == std::vector<std::size_t>{1, 2, 1} ? graph_wrong::nothing
                                                                            : graph_wrong::branches_unplaced;
      REQUIRE(verify_ipus(forked, list).kind == wanted);
    });
  }
  CHECK_THROWS_WITH_AS(throw_if(verify_ipus(forked, std::vector<ipu_list>(4))),
                       "ipuflow: 4 IPUs are given for 3 stages; give one entry for each stage", error);
  CHECK_THROWS_WITH_AS(throw_if(verify_ipus(forked, std::vector<ipu_list>{ipus(0), ipus(1), ipus(2)})),
                       "ipuflow: stage 1 has 2 concurrent branches but is placed on 1 IPU; give ipus(...) with one for "
                       "each branch",
                       error);
}

TEST_CASE("a stage without an IPU gets the one after those before it") {
  const auto where = grouped_as<4>(abcd, listed{entry("a", 0), entry("b", 1, 0), entry("c", 1, 1), entry("d", 2)});
  CHECK(where == placement<4>{{0, 1, 1, 2}, {0, 0, 1, 0}, {0, 1, 2, 3}});
  const auto mixed = grouped_as<4>(abcd, listed{entry("b", 0, 0, 7), entry("a", 0, 0, 7), entry("c", 1), entry("d", 1)});
  CHECK(mixed == placement<4>{{0, 0, 1, 1}, {0, 0, 0, 0}, {7, 7, 8, 8}});
  const auto back = grouped_as<4>(abcd, listed{entry("a", 0, 0, 5), entry("b", 1, 0, 2), entry("c", 2), entry("d", 3)});
  CHECK(back == placement<4>{{0, 1, 2, 3}, {0, 0, 0, 0}, {5, 2, 6, 7}});
}

TEST_CASE("a stage without an IPU is on that of its blocks, whichever of them has one; two are refused") {
  const auto where = grouped_as<4>(abcd, listed{entry("a", 0), entry("b", 0, 0, 3), entry("c", 0), entry("d", 1)});
  CHECK(where == placement<4>{{0, 0, 0, 1}, {0, 0, 0, 0}, {3, 3, 3, 4}});
  for_sequences(4, 3, [](const std::vector<std::size_t>& digits) {  // none, IPU 0 or IPU 1, in two stages
    listed list;
    std::set<std::size_t> places[2];
    for (std::size_t b = 0; b < 4; ++b) {
      const std::size_t ipu = digits[b] == 0 ? unplaced : digits[b] - 1;
      list.push_back(entry(abcd[b], b / 2, 0, ipu));
      if (ipu != unplaced) places[b / 2].insert(ipu);
    }
    CHECK(verify_places(list).kind == (places[0].size() < 2 && places[1].size() < 2 ? graph_wrong::nothing : graph_wrong::places_differ));
  });
  CHECK_THROWS_WITH_AS(throw_if(verify_places(listed{entry("a", 0), entry("b", 1, 0, 2), entry("c", 1), entry("d", 1, 0, 3)})),
                       "ipuflow: stage 1 is on one IPU, but block 'd' in it is placed on IPU 3 and one before it on IPU 2; place "
                       "the stage, stage(...).ipu<2>(), or make two of it",
                       error);
}

TEST_CASE("automatic staging gives the stages that are known for it") {
  const auto stages = [](auto_stage how, const auto& ipu) {
    std::vector<std::size_t> ids;
    for (const listed_block& b : auto_stages(how, abcd, in_a_row(ipu))) ids.push_back(b.stage);
    return ids;
  };
  const std::size_t back_and_forth[] = {0, 1, 2, 1};
  CHECK(stages(auto_stage::auto_increment, back_and_forth) == std::vector<std::size_t>{0, 1, 2, 3});
  const std::size_t one_ipu[] = {0, 0};
  CHECK(stages(auto_stage::same_as_ipu, one_ipu) == std::vector<std::size_t>{0, 0});
  const std::size_t two_on_the_second[] = {0, 1, 1};
  CHECK(stages(auto_stage::same_as_ipu, two_on_the_second) == std::vector<std::size_t>{0, 1, 1});
  CHECK(stages(auto_stage::auto_increment, two_on_the_second) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("automatic staging leaves concurrent stages what they are") {
  constexpr placement<5> on_three{{0, 0, 1, 1, 2}, {0, 0, 0, 1, 0}, {4, 4, 5, 6, 5}};
  const names abcde{"a", "b", "c", "d", "e"};
  const auto same = auto_stages(auto_stage::same_as_ipu, abcde, on_three);
  CHECK_FALSE(verify_grouping(abcde, same));
  CHECK(grouped_as<5>(abcde, same) == on_three);
  const auto each = auto_stages(auto_stage::auto_increment, abcde, on_three);
  CHECK(grouped_as<5>(abcde, each) == placement<5>{{0, 1, 2, 2, 3}, {0, 0, 0, 1, 0}, {4, 4, 5, 6, 5}});
  CHECK(verify_grouping(abcde, auto_stages(auto_stage::same_as_ipu, abcde, forked)).kind == graph_wrong::ids_descend);
}

TEST_CASE("same as IPU: one stage for each IPU, refused exactly if an IPU is left and comes back") {
  for_sequences(4, 4, [](const std::vector<std::size_t>& digits) {
    std::size_t ipu[4];
    std::copy(digits.begin(), digits.end(), ipu);
    const std::size_t distinct = std::set<std::size_t>(digits.begin(), digits.end()).size();
    std::size_t changes = 1;
    for (std::size_t b = 1; b < 4; ++b) changes += digits[b] != digits[b - 1] ? 1u : 0u;

    const auto same = auto_stages(auto_stage::same_as_ipu, abcd, in_a_row(ipu));
    CHECK(verify_grouping(abcd, same).kind == (changes == distinct ? graph_wrong::nothing : graph_wrong::ids_descend));
    for (std::size_t b = 0; b < 4; ++b) {
      CHECK(same[b].ipu == ipu[b]);
      for (std::size_t c = 0; c < 4; ++c) CHECK((same[b].stage == same[c].stage) == (ipu[b] == ipu[c]));
    }
    const auto each = auto_stages(auto_stage::auto_increment, abcd, in_a_row(ipu));
    CHECK_FALSE(verify_grouping(abcd, each));
    CHECK(each.back().stage == 3);
  });
}

}  // namespace placement_test
