// SPDX-License-Identifier: BSL-1.0
// A sample has as many values as the pipeline takes, of which the first is the input.
// expect: ipuflow: predict is given 3 values but a sample of this pipeline has 2; give the input, and what else a layer needs of a sample
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
  (void)train::predictor{net, session.parameters()}(flower, 1, 2);
#else
  (void)train::predictor{net, session.parameters()}(flower);
#endif
}
