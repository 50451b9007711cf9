// SPDX-License-Identifier: BSL-1.0
// A pipeline is a value: it is called, asked for its blocks by name, copied and moved.
#include <ipuflow/graph/describe.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace pipeline_test {

using namespace ipuflow;

namespace {

constexpr int plus_one(int x) { return x + 1; }
constexpr int squared(int x) { return x * x; }

constexpr auto p = pipeline(input<int>, stage(block<"B1">(plus_one), block<"B2">(squared)).ipu<3>(), block<"B3">(plus_one, squared));
using p_t = std::remove_const_t<decltype(p)>;

static_assert(p(2) == 100, "in a constant");
static_assert(p.stage_count == 2 && p.block_count == 3);
static_assert(p.ipu_of(0) == 3 && p.ipu_of(1) == 4);
static_assert(p.names()[0] == "B1" && p.names()[2] == "B3");
static_assert(hana::at_c<0>(p[name<"B2">].ops)(7) == 49 && p[name<"B3">].op_count == 2);
static_assert(&p[name<"B1">] == &hana::at_c<0>(p.blocks), "a block is found, not copied");

template <class P, class... X>
concept callable = requires(const P& q, X&&... x) { q(std::forward<X>(x)...); };
static_assert(callable<p_t, int> && callable<p_t, short> && !callable<p_t> && !callable<p_t, int, int> && !callable<p_t, std::string>);

// One value, several, none.
constexpr auto several = pipeline(input<int>, input<int>, block<"a">([](int x, int y) { return std::tuple{y, x}; }),
                                  block<"b">([](int x, int y) { return std::tuple{x, y, x * y}; }));
static_assert(several(2, 3) == std::tuple{3, 2, 6});
static_assert(std::is_same_v<decltype(several(2, 3)), std::tuple<int, int, int>>);
static_assert(std::is_same_v<decltype(p(2)), int>);

// Inputs first, then named values in the order of their declaration.
constexpr auto mixed = pipeline(per_run<"k", int>, input<int>, per_sample<"l", char>, input<double>,
                                block<"a">([](int x, double y) { return x + y; }),
                                block<"b">(use<"l", "k">([](double z, char l, int k) { return z + l + k; })));
static_assert(mixed(1, 0.5, 1000, 'a') == 1001.5 + 'a');

// The same pipeline is the same type and the same value wherever it is written.
static_assert(std::is_same_v<decltype(pipeline(input<int>, block<"a">(plus_one), block<"b">(squared))),
                             decltype(pipeline(input<int>, stage(block<"a">(plus_one)), stage(block<"b">(squared))))>);

template <std::size_t... Index>
constexpr auto long_block(std::index_sequence<Index...>) {
  return block<"long">((static_cast<void>(Index), plus_one)...);
}

}  // namespace

TEST_CASE("called at run time it is the composition of its ops") {
  for (int x = -30; x < 30; ++x) {
    CHECK(p(x) == squared(plus_one(squared(plus_one(x)))));
    CHECK(hana::at_c<1>(p[name<"B3">].ops)(x) == squared(x));
  }
}

TEST_CASE("a stage that there is not is told") {
  CHECK_THROWS_WITH_AS((void)p.ipu_of(2), "ipuflow: stage 2 is asked for, but a pipeline has 2; its stages count from 0 to one less",
                       error);
  CHECK_THROWS_AS((void)p.ipus_of(7), error);
}

TEST_CASE("the depth of a block does not matter") {
  const auto many = pipeline(input<int>, long_block(std::make_index_sequence<12>{}), block<"none">(), block<"one">(plus_one));
  for (int x = 0; x < 10; ++x) CHECK(many(x) == x + 13);
}

TEST_CASE("ops with values of their own are copied with the pipeline") {
  std::string greeting = "hello, ";
  auto original = pipeline(input<std::string>, block<"a">([greeting](std::string who) { return greeting + who; }),
                           block<"b">([](const std::string& s) { return s + "!"; }));
  greeting = "changed";
  const auto copy = original;
  CHECK(original(std::string("you")) == "hello, you!");
  const auto moved = std::move(original);
  CHECK(copy(std::string("you")) == "hello, you!");
  CHECK(moved(std::string("they")) == "hello, they!");
}

TEST_CASE("ops that can only be moved are moved with the pipeline") {
  struct adder {
    std::unique_ptr<int> by;
    int operator()(int x) const { return x + *by; }
  };
  auto original = pipeline(input<int>, stage(block<"a">(adder{std::make_unique<int>(5)})).ipu<1>(), block<"b">(squared));
  static_assert(!std::is_copy_constructible_v<decltype(original)>);
  CHECK(original(1) == 36);
  const auto moved = std::move(original);
  CHECK(moved(1) == 36);
  CHECK(*hana::at_c<0>(moved[name<"a">].ops).by == 5);
}

}  // namespace pipeline_test
