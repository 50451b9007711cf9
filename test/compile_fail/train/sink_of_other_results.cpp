// SPDX-License-Identifier: BSL-1.0
// A sink of a session takes what leaves the pipeline with a micro-batch: here scores and a loss.
// expect: ipuflow: .*lambda.* cannot take the results of a micro-batch; give an outfeed, or a function of std::vector<float> for each tensor that leaves the pipeline and float for each loss
#include <ipuflow/core.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

using namespace ipuflow;

constexpr auto net = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>, stage(block<"a">(nn::linear<4>)).ipu<0>(),
                              stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
struct flowers {
  std::size_t size() const { return 8; }
  std::tuple<std::array<float, 4>, std::uint8_t> operator[](std::size_t) const { return {}; }
};

void train() {
  train::session session{net, schedule::grouped(net, micro_batches<4>), train::adamw{}, {}};
  [[maybe_unused]] auto steps = feed::load(flowers{}, session.samples_per_step());
#ifdef EXPECT_FAILURE
  session.run(steps, [](float) {});
#else
  session.run(steps, [](const std::vector<float>&, float) {});
#endif
}
