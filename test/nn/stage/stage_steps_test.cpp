// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/stage/stage_steps.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace stage_steps_test {

using namespace ipuflow;
namespace walk = nn::walk;

namespace {

using three = tensor<float, 3>;
constexpr auto carried = pipeline(input<float, 3>, stage(block<"A">(keep<"x">, nn::relu)), stage(block<"B">(nn::tanh)),
                                  stage(block<"C">(use<"x">(nn::add))));
using pipe = std::remove_const_t<decltype(carried)>;

/// A layer between tensors of three.
template <std::size_t Count>
using threes = std::conditional_t<Count == 2, walk::list<three, three>, walk::list<three>>;
template <class Layer, class In, class Out, std::size_t Block, std::size_t Op>
using step = walk::layer_step<Layer, In, Out, threes<In::size()>, threes<Out::size()>, Block, Op>;

/// What enters and must leave again is copied by a last step.
static_assert(
    std::is_same_v<
        nn::impl::steps_of_stage<pipe, 1>,
        nn::impl::stage_steps<
            walk::list<walk::value_slot<three, 0>, walk::value_slot<three, 1>, walk::value_slot<three, 2>,
                       walk::value_slot<three, 3>>,
            walk::list<step<nn::tanh_t, walk::at_slots<0>, walk::at_slots<2>, 1, 0>,
                       step<nn::copy_t, walk::at_slots<1>, walk::at_slots<3>, static_cast<std::size_t>(-1), 0>>,
            2, walk::at_slots<2, 3>>>);
/// What a stage gives is where it leaves.
static_assert(
    std::is_same_v<nn::impl::steps_of_stage<pipe, 2>,
                   nn::impl::stage_steps<walk::list<walk::value_slot<three, 0>, walk::value_slot<three, 1>,
                                              walk::value_slot<three, 2>>,
                                   walk::list<step<nn::add_t, walk::at_slots<0, 1>, walk::at_slots<2>, 2, 0>>, 2,
                                   walk::at_slots<2>>>);

/// Branches start from the same slots; what they give leaves in their order.
constexpr auto forked = pipeline(input<float, 3>, stage(block<"A">(nn::relu)),
                                 concurrent(stage(block<"L">(nn::relu, nn::tanh)), stage(block<"R">(nn::gelu))),
                                 stage(block<"Z">(nn::add)));
static_assert(
    std::is_same_v<nn::impl::steps_of_stage<std::remove_const_t<decltype(forked)>, 1>,
                   nn::impl::stage_steps<walk::list<walk::value_slot<three, 0>, walk::value_slot<three, 1>,
                                              walk::value_slot<three, 2>,
                                              walk::value_slot<three, 3>>,
                                   walk::list<step<nn::relu_t, walk::at_slots<0>, walk::at_slots<1>, 1, 0>,
                                              step<nn::tanh_t, walk::at_slots<1>, walk::at_slots<2>, 1, 1>,
                                              step<nn::gelu_t, walk::at_slots<0>, walk::at_slots<3>, 2, 0>>,
                                   1, walk::at_slots<2, 3>>>);

/// A branch on its own: entered as all are, with its part of what leaves. The first one passes on what only passes.
using fork = std::remove_const_t<decltype(forked)>;
static_assert(
    std::is_same_v<nn::impl::steps_of_stage<fork, 1, 1>,
                   nn::impl::stage_steps<walk::list<walk::value_slot<three, 0>, walk::value_slot<three, 1>>,
                                   walk::list<step<nn::gelu_t, walk::at_slots<0>, walk::at_slots<1>, 2, 0>>, 1,
                                   walk::at_slots<1>>>);
static_assert(nn::exit_positions<fork, 1, 0> == per_stage(0) && nn::exit_positions<fork, 1, 1> == per_stage(1) &&
              nn::exit_positions<fork, 1> == per_stage(0, 1));
constexpr auto named_fork =
    pipeline(input<float, 3>, stage(block<"A">(keep<"a">, nn::relu)),
             concurrent(stage(block<"L">(keep<"l">, nn::relu)), stage(block<"R">(nn::gelu, keep<"r">, nn::tanh))),
             stage(block<"Z">(nn::add, use<"a">(nn::add), use<"l">(nn::add), use<"r">(nn::add))));
using named = std::remove_const_t<decltype(named_fork)>;
static_assert(nn::exit_positions<named, 1, 0> == per_stage(0, 2, 3) &&
              nn::exit_positions<named, 1, 1> == per_stage(1, 4) &&
              nn::exit_positions<named, 1> == per_stage(0, 1, 2, 3, 4));

}  // namespace

TEST_CASE("A value that leaves twice is copied once") {
  constexpr auto twice =
      pipeline(input<float, 3>, stage(block<"A">(nn::relu, keep<"x">)), stage(block<"B">(use<"x">(nn::add))));
  static_assert(
      std::is_same_v<nn::impl::steps_of_stage<std::remove_const_t<decltype(twice)>, 0>,
                     nn::impl::stage_steps<walk::list<walk::value_slot<three, 0>, walk::value_slot<three, 1>,
                                                walk::value_slot<three, 2>>,
                                     walk::list<step<nn::relu_t, walk::at_slots<0>, walk::at_slots<1>, 0, 0>,
                                                step<nn::copy_t, walk::at_slots<1>, walk::at_slots<2>,
                                                           static_cast<std::size_t>(-1), 0>>,
                                     1, walk::at_slots<1, 2>>>);
  CHECK(true);
}

}  // namespace stage_steps_test
