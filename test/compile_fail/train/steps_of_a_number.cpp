// SPDX-License-Identifier: BSL-1.0
// A session is run on steps: what its loader gives, not samples or numbers.
// expect: ipuflow: int gives a session no steps; give an infeed, a loader, or a function that returns a std::optional of a step
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
  session.run(100, [](const std::vector<float>&, float) {});
#else
  session.run(steps, [](const std::vector<float>&, float) {});
#endif
}
