// SPDX-License-Identifier: BSL-1.0
// A number of threads that is not in a back end.
// expect: ipuflow: a session does not know what to do with int; behind the options give a back end, a precision or a shared model
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstdint>
#include <memory>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
void train() { train::session session{network, timetable, train::adamw{}, {}, 4}; }
#else
void train() { train::session session{network, timetable, train::adamw{}, {}, on::threads{.count = 4}}; }
#endif
