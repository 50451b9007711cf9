// SPDX-License-Identifier: BSL-1.0
// A prediction is made by a session that uses a model, not by one that would train it.
// expect: ipuflow: predict is given a session that trains, and would train it; make one that uses the model, train::inference\(network, timetable, session.parameters\(\), options\), or a train::predictor
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/predict.hpp>

#include <array>
#include <cstdint>

using namespace ipuflow;

constexpr auto net = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>, stage(block<"a">(nn::linear<4>)).ipu<0>(),
                              stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());

int main() {
  const std::array<float, 4> flower{};
  train::session session{net, schedule::grouped(net, micro_batches<4>), train::adamw{}, {}};
#ifdef EXPECT_FAILURE
  (void)train::predict(session, flower);
#else
  (void)train::predictor{net, session.parameters()}(flower);
#endif
}
