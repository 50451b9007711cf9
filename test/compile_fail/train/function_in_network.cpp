// SPDX-License-Identifier: BSL-1.0
// A pipeline that is trained has a function in it.
// expect: ipuflow: op 1 of block \\'b\\', .* is not a layer that can be trained; give it constexpr facts\(\) and kernels, or run it as a callable
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

constexpr tensor<float, 3> sharpen(tensor<float, 3> x) { return x; }

#ifdef EXPECT_FAILURE
constexpr auto network = pipeline(input<float, 4>, block<"a">(nn::linear<8>), block<"b">(nn::linear<3>, sharpen));
#else
constexpr auto network = pipeline(input<float, 4>, block<"a">(nn::linear<8>), block<"b">(nn::linear<3>, nn::relu));
#endif
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

void train() { train::session session{network, timetable, train::sgd{}, {}}; }
