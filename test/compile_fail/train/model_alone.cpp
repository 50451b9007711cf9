// SPDX-License-Identifier: BSL-1.0
// A model that is not shared, where a session uses one.
// expect: ipuflow: a session shares its model, but is given train::model<.*; give share<train::model<>>\(model\), a copy unless it is moved
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
constexpr auto timetable = schedule::inference(network, micro_batches<4>);

#ifdef EXPECT_FAILURE
void uses(const train::model<>& m) { (void)train::inference(network, timetable, m); }
#else
void uses(const train::model<>& m) { (void)train::inference(network, timetable, share<train::model<>>(m)); }
#endif
