// SPDX-License-Identifier: BSL-1.0
// Blocks and stages keep the ops they are given, as values, and say on which IPU they are.
#include <ipuflow/graph/stage.hpp>

#include <doctest/doctest.h>

#include <boost/hana/at.hpp>
#include <boost/hana/length.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace stage_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

constexpr int plus_one(int x) { return x + 1; }

struct only_moved {
  std::unique_ptr<int> by;
  int operator()(int x) const { return x + *by; }
};

constexpr auto a = block<"a">(plus_one, plus_one);
static_assert(a.name == fixed_string{"a"} && a.op_count == 2);
static_assert(block<"empty">().op_count == 0);
static_assert(std::is_same_v<std::remove_const_t<decltype(a)>, block_t<"a", unplaced, int (*)(int), int (*)(int)>>,
              "a function is kept as a pointer");
static_assert(std::is_same_v<decltype(a.ipu<3>()), block_t<"a", 3, int (*)(int), int (*)(int)>>);
static_assert(is_block<std::remove_const_t<decltype(a)>> && !is_block<int> && block_like<decltype(a)>);

constexpr auto longest = block<"a_name_of_sixty_characters_is_the_longest_that_a_block_takes">();
static_assert(longest.name.size() == 60 && longest.op_count == 0);

constexpr auto s = stage(a, block<"b">(plus_one)).ipu<2>();
static_assert(std::is_same_v<decltype(stage(a)), stage_t<unplaced, block_t<"a", unplaced, int (*)(int), int (*)(int)>>>);
static_assert(std::is_same_v<decltype(s.ipu<5>()), decltype(stage(a, block<"b">(plus_one)).ipu<5>())>,
              "a stage that has a name of its own can be placed too");
static_assert(decltype(hana::length(s.blocks))::value == 2);

static_assert(std::is_same_v<decltype(stage<"a", "b">().ipu<1>()), stage_of_names<1, "a", "b">>);
static_assert(is_described<std::remove_const_t<decltype(s)>> && !is_of_names<std::remove_const_t<decltype(s)>>);
static_assert(is_of_names<stage_of_names<1, "a">> && !is_described<stage_of_names<1, "a">>);

constexpr auto split_up = concurrent(s, a);
static_assert(is_concurrent<std::remove_const_t<decltype(split_up)>> && is_described<std::remove_const_t<decltype(split_up)>>);
static_assert(is_of_names<decltype(concurrent(stage<"a">(), stage<"b">()))>);
static_assert(!is_of_names<decltype(concurrent(stage<"a">(), a))> && !is_described<decltype(concurrent(stage<"a">(), a))>);

static_assert(accept<verify_parts<int, char>("f", "x", {true, true, true})>());
static_assert(verify_parts<int, char>("f", "x", {true, false, true}).got == 1);
static_assert(verify_parts<int, char>("f", "x", {false, false, true}).where.op_type == fixed_string{"int"});

}  // namespace

TEST_CASE("copies and originals of a block hold the same ops") {
  const auto offset = [by = 7](int x) { return x + by; };
  const auto original = block<"o">(offset);
  auto copy = original;
  const auto from_copy = stage(copy);
  const auto from_moved = stage(std::move(copy));
  for (int x = 0; x < 10; ++x) {
    CHECK(hana::at_c<0>(original.ops)(x) == x + 7);
    CHECK(hana::at_c<0>(hana::at_c<0>(from_copy.blocks).ops)(x) == x + 7);
    CHECK(hana::at_c<0>(hana::at_c<0>(from_moved.blocks).ops)(x) == x + 7);
  }
}

TEST_CASE("an op that can only be moved is moved along, placed or not") {
  auto placed = stage(block<"m">(only_moved{std::make_unique<int>(3)}).ipu<1>()).ipu<2>();
  CHECK(hana::at_c<0>(hana::at_c<0>(placed.blocks).ops)(4) == 7);
  auto branches = concurrent(std::move(placed));
  CHECK(hana::at_c<0>(hana::at_c<0>(hana::at_c<0>(branches.branches).blocks).ops)(4) == 7);
  CHECK_FALSE(std::is_copy_constructible_v<decltype(branches)>);
}

}  // namespace stage_test
