// SPDX-License-Identifier: BSL-1.0
// A pipeline that is trained has a layer without a way back.
// expect: ipuflow: op 1 of block \\'b\\', half_t, cannot be trained without backward_inputs\(layer, nn::inputs_pass<float, nn::in<shape<3
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

using namespace ipuflow;

struct half_t {};

template <class Type>
constexpr Type output_of(half_t, Type) {
  return {};
}
template <class Type>
constexpr nn::layer_facts facts(half_t, Type) {
  return {};
}
template <class T, class S>
void forward(half_t, nn::forward_pass<T, nn::in<S>, nn::out<S>>) {}
#ifndef EXPECT_FAILURE
template <class T, class S>
void backward_inputs(half_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>>) {}
#endif

constexpr auto network = pipeline(input<float, 4>, block<"a">(nn::linear<8>), block<"b">(nn::linear<3>, half_t{}));
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

void train() { train::session session{network, timetable, train::sgd{}, {}}; }
