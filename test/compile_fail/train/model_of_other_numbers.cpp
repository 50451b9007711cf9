// SPDX-License-Identifier: BSL-1.0
// A model of doubles for a session that computes in float.
// expect: ipuflow: a session is given .*double.*, which does not hold the numbers of its precision; share models between sessions of one precision
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
void train(std::shared_ptr<train::model<double>> m) { train::session session{network, timetable, train::adamw{}, {}, m}; }
#else
void train(std::shared_ptr<train::model<float>> m) { train::session session{network, timetable, train::adamw{}, {}, m}; }
#endif
