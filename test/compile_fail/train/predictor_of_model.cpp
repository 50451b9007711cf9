// SPDX-License-Identifier: BSL-1.0
// A model that is not shared, where a predictor uses one.
// expect: ipuflow: a predictor shares its model; give share<train::model<>>\(model\)
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/predict.hpp>

#include <cstdint>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());

#ifdef EXPECT_FAILURE
void uses(const train::model<>& m) { train::predictor predictor{network, m}; }
#else
void uses(const train::model<>& m) { train::predictor predictor{network, share<train::model<>>(m)}; }
#endif
