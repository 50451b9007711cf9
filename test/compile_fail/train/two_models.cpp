// SPDX-License-Identifier: BSL-1.0
// Two models for one session.
// expect: ipuflow: a session is given two models; hand over one shared<train::model<...>>
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
void train(std::shared_ptr<train::model<>> m) { train::session session{network, timetable, train::adamw{}, {}, m, m}; }
#else
void train(std::shared_ptr<train::model<>> m) { train::session session{network, timetable, train::adamw{}, {}, m}; }
#endif
