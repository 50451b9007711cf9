// SPDX-License-Identifier: BSL-1.0
// Ops in a list are the ops of the block that is given the list.
#include <ipuflow/core/shape.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/ops.hpp>
#include <ipuflow/graph/stage_facts.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>

namespace ops_test {

using namespace ipuflow;

namespace {

struct add_one {
  constexpr int operator()(int x) const { return x + 1; }
};
struct doubled {
  constexpr int operator()(int x) const { return 2 * x; }
};
struct plus {
  constexpr int operator()(int x, int y) const { return x + y; }
};

constexpr auto both = ops(add_one{}, doubled{});

template <class A, class B>
constexpr bool same(const A&, const B&) {
  return std::is_same_v<A, B>;
}

static_assert(same(block<"B">(both, keep<"x">, both), block<"B">(add_one{}, doubled{}, keep<"x">, add_one{}, doubled{})));
static_assert(same(ops(both, add_one{}, ops(both)), ops(add_one{}, doubled{}, add_one{}, add_one{}, doubled{})));
static_assert(same(block<"B">(ops()), block<"B">()));
static_assert(decltype(block<"B">(both, both))::op_count == 4, "a cut counts each op");

constexpr auto network = pipeline(input<int>, block<"A">(both, keep<"a">), block<"B">(both, use<"a">(plus{})));
static_assert(network(3) == 18 + 8);

}  // namespace

TEST_CASE("Ops of a list keep what they hold, and a list is used again") {
  const auto shared = std::make_shared<int>(5);
  const auto list = ops([shared](int x) { return x * *shared; });
  const auto p = pipeline(input<int>, block<"A">(list), block<"B">(list, list));
  CHECK(p(2) == 250);
  CHECK(shared.use_count() == 5);
}

TEST_CASE("What is set aside flows no more, and is used by its name") {
  constexpr auto p = pipeline(input<int>, block<"A">(keep<"in">, add_one{}, set_aside<"main">, use<"in">(doubled{})),
                              block<"B">(use<"main">(plus{})));
  static_assert(p(3) == 6 + 4);
  CHECK(p(10) == 31);
  CHECK(stages(p)[0].output_bytes == 2 * bytes_of<int>);
}

}  // namespace ops_test
