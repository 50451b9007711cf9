// SPDX-License-Identifier: BSL-1.0
// A number of micro-batches where a session wants the timetable.
// expect: ipuflow: int is no timetable; let a generator make one, as schedule::grouped\(network, micro_batches<8>\) does
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
void train() { train::session session{network, 4, train::sgd{}, {}}; }
#else
void train() { train::session session{network, timetable, train::sgd{}, {}}; }
#endif
