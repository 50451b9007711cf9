// SPDX-License-Identifier: BSL-1.0
// A program that links ipuflow::compiled makes a session in a precision that it does not have.
// expect: ipuflow: ipuflow::compiled has no sessions in .*precision<.*half.*>; include <ipuflow/train/threads/session_engine.hpp> behind <ipuflow/train.hpp>
#define IPUFLOW_COMPILED
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#ifndef EXPECT_FAILURE
#include <ipuflow/train/threads/session_engine.hpp>
#endif

#include <cstdint>

using namespace ipuflow;

constexpr auto network = pipeline(input<half, 4>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<8>),
                                  block<"b">(nn::linear<3>, use<"label">(nn::cross_entropy)));
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

void train() { train::session session{network, timetable, train::sgd{}, {}, train::precision<half>{}}; }
