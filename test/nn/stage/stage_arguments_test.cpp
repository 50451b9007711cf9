// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/stage_arguments.hpp>

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace stage_arguments_test {

using namespace ipuflow;
using namespace ipuflow::nn;

namespace {

constexpr auto network = pipeline(input<float, 4>, per_run<"gain", float, 4>, per_sample<"label", float, 4>,
                                  block<"a">(nn::relu), block<"b">(use<"gain">(nn::add)), block<"c">(use<"label">(nn::add)));
using P = std::remove_const_t<decltype(network)>;
constexpr auto none = no_argument;

// What enters: the input, the argument, the label.
static_assert(arguments_entering<P, 0> == std::array{none, std::size_t{1}, none});
static_assert(nn::impl::arguments_leaving<P, 0> == std::array{none, std::size_t{1}, none});
// Its last use is in the second stage.
static_assert(arguments_entering<P, 1> == std::array{none, std::size_t{1}, none});
static_assert(nn::impl::arguments_leaving<P, 1> == std::array{none, none});
static_assert(arguments_entering<P, 2> == std::array{none, none});

/// Steps of a stage that only hand an argument on.
template <std::size_t Stage>
constexpr std::size_t handing_on() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (std::size_t{0} + ... + (nn::impl::hands_argument_on<P, Stage, every_branch, I> ? 1u : 0u));
  }(std::make_index_sequence<planned<P, Stage, float>.steps.size()>{});
}
static_assert(handing_on<0>() == 1);  // that of the label is none of them
static_assert(handing_on<1>() == 0);
static_assert(nn::impl::argument_slots<P, 0, every_branch>[1] == 1 && nn::impl::argument_slots<P, 0, every_branch>[0] == none);

}  // namespace

}  // namespace stage_arguments_test
