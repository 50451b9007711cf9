// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/stage/stage_walk.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace stage_walk_test {

using namespace ipuflow;
namespace walk = nn::walk;

namespace {

using two_by_three = walk::list<tensor<float, 2, 3, 1>>;
using start = walk::route<walk::list<walk::value_slot<tensor<float, 2, 3, 1>, 0>>, walk::list<>, walk::list<>, walk::at_slots<0>,
                          walk::at_slots<>>;
template <std::size_t Op, class Layer>
using at = walk::layer_at<walk::layer_site{fixed_string<60>{"B"}, 7, Op}, Layer>;

/// A view shares the memory of its input; every other layer has its own.
using viewed = decltype(start{} >> at<0, nn::flatten_t>{} >> at<1, nn::linear_t<4>>{});
static_assert(std::is_same_v<
              viewed, walk::route<walk::list<walk::value_slot<tensor<float, 2, 3, 1>, 0>, walk::value_slot<tensor<float, 6>, 0>,
                                             walk::value_slot<tensor<float, 4>, 2>>,
                                  walk::list<walk::layer_step<nn::flatten_t, walk::at_slots<0>, walk::at_slots<1>, two_by_three, walk::list<tensor<float, 6>>, 7, 0>,
                                             walk::layer_step<nn::linear_t<4>, walk::at_slots<1>, walk::at_slots<2>, walk::list<tensor<float, 6>>,
                                                              walk::list<tensor<float, 4>>, 7, 1>>,
                                  walk::list<>, walk::at_slots<2>, walk::at_slots<>>>);

/// Names leave no step.
using kept = decltype(start{} >> at<0, keep_t<"x">>{} >> at<1, nn::relu_t>{} >> at<2, use_t<nn::add_t, "x">>{});
static_assert(
    std::is_same_v<kept, walk::route<walk::list<walk::value_slot<tensor<float, 2, 3, 1>, 0>,
                                                walk::value_slot<tensor<float, 2, 3, 1>, 1>,
                                                walk::value_slot<tensor<float, 2, 3, 1>, 2>>,
                                     walk::list<walk::layer_step<nn::relu_t, walk::at_slots<0>, walk::at_slots<1>, two_by_three, two_by_three, 7, 1>,
                                                walk::layer_step<nn::add_t, walk::at_slots<1, 0>, walk::at_slots<2>,
                                                                 walk::list<tensor<float, 2, 3, 1>, tensor<float, 2, 3, 1>>, two_by_three, 7, 2>>,
                                     walk::list<walk::named_slot<"x", 0>>, walk::at_slots<2>, walk::at_slots<>>>);

static_assert(nn::layer<nn::relu_t, tensor<float, 3>>);
static_assert(!nn::layer<int (*)(int), int>);

}  // namespace

TEST_CASE("A name stands for the slot that it was given last") {
  constexpr auto names = walk::list<walk::named_slot<"a", 3>, walk::named_slot<"b", 4>>{};
  CHECK(walk::slot_named("a", names) == 3);
  CHECK(walk::slot_named("b", names) == 4);
}

}  // namespace stage_walk_test
