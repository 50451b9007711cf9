// SPDX-License-Identifier: BSL-1.0
// A session that is to compute with whole numbers.
// expect: ipuflow: train::precision<int.* is no precision to compute in; write train::precision<float>, or one of double or half
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

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
void train() { train::session session{network, timetable, train::sgd{}, {}, train::precision<int>{}}; }
#else
void train() { train::session session{network, timetable, train::sgd{}, {}, train::precision<double>{}}; }
#endif
