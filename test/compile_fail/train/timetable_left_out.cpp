// SPDX-License-Identifier: BSL-1.0
// A session with options in braces and without a timetable.
// expect: ipuflow: train::basic_adam<train::decay::decoupled> is no timetable; let a generator make one
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstdint>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
void train() { train::session session{network, train::adamw{}, {.micro_batch = 8}}; }
#else
void train() { train::session session{network, timetable, train::adamw{}, {.micro_batch = 8}}; }
#endif
