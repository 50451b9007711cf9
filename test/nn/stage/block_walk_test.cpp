// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/stage/block_walk.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <type_traits>

namespace block_walk_test {

using namespace ipuflow;
namespace walk = nn::walk;

namespace {

using start = walk::route<walk::list<walk::value_slot<tensor<float, 2, 3, 1>, 0>>, walk::list<>, walk::list<>, walk::at_slots<0>,
                          walk::at_slots<>>;

/// A block that is walked on its own joins the stage: slots that it reads are those of the stage, its own come behind all of them.
constexpr auto twice = single_stage(input<float, 2, 3>, block<"A">(keep<"a">, nn::relu, nn::flatten), block<"B">(keep<"b">, nn::flatten, use<"b">(nn::add)),
                                    block<"C">(use<"a">([](auto x, auto) { return x; })));
using two = std::remove_const_t<decltype(twice)>;
using whole = walk::stage_part<two, 0, nn::every_branch>;
using before = decltype(start{} >> walk::block_step<whole, 0, block_t<"A", unplaced, keep_t<"a">, nn::relu_t, nn::flatten_t>>{});
using behind = decltype(before{} >> walk::block_step<whole, 1, block_t<"B", unplaced, keep_t<"b">, nn::flatten_t, use_t<nn::add_t, "b">>>{});
template <class T>
struct parts;
template <class... Slot, class... Step, class... Named, class Flow, class Finished>
struct parts<walk::route<walk::list<Slot...>, walk::list<Step...>, walk::list<Named...>, Flow, Finished>> {
  using slots = walk::list<Slot...>;
  using names = walk::list<Named...>;
  using flow = Flow;
  using last_step = std::tuple_element_t<sizeof...(Step) - 1, std::tuple<Step...>>;
};
using six = tensor<float, 6>;
static_assert(std::is_same_v<parts<behind>::slots, walk::list<walk::value_slot<tensor<float, 2, 3, 1>, 0>, walk::value_slot<tensor<float, 2, 3, 1>, 1>,
                                                              walk::value_slot<six, 1>, walk::value_slot<six, 1>, walk::value_slot<six, 4>>>,
              "a view of what enters a block has the memory that this has in the stage");
static_assert(std::is_same_v<parts<behind>::names, walk::list<walk::named_slot<"a", 0>, walk::named_slot<"b", 2>>>);
static_assert(std::is_same_v<parts<behind>::last_step, walk::layer_step<nn::add_t, walk::at_slots<3, 2>, walk::at_slots<4>, walk::list<six, six>, walk::list<six>, 1, 2>>);
static_assert(std::is_same_v<parts<behind>::flow, walk::at_slots<4>>);

/// Only what a block uses before it keeps it under that name comes from outside.
static_assert(walk::names_read<keep_t<"a">, use_t<nn::add_t, "b">, use_t<nn::add_t, "a">, use_t<nn::add_t, "b">, keep_t<"b">>.size() == 1);

}  // namespace

TEST_CASE("Slots that a block reads keep their numbers and roots, others come behind all of the stage's") {
  using to = walk::renumbered<9, walk::at_slots<4, 7>, walk::at_slots<4, 2>>;
  CHECK(to::slot(0) == 4);
  CHECK(to::slot(1) == 7);
  CHECK(to::slot(2) == 9);
  CHECK(to::slot(5) == 12);
  CHECK(to::root_of(1) == 2);
  CHECK(to::root_of(3) == 10);
}

}  // namespace block_walk_test
