// SPDX-License-Identifier: BSL-1.0
// Plain vectors where a session wants samples in columns.
// expect: ipuflow: vector<float.* holds no samples for a step; give a feed::sample_batch, or what has size\(\) and columns\(\)
#include <ipuflow/core.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

struct my_batch {
  std::array<float, 16> inputs{};
  std::array<std::uint8_t, 4> classes{};
  std::tuple<feed::column_view<std::span<const float>>, feed::column_view<std::uint8_t>> all{{inputs.data(), 4, 4},
                                                                                    {classes.data(), 4}};
  std::size_t size() const { return 4; }
  const auto& columns() const { return all; }
};

void train() {
  train::session session{network, timetable, train::sgd{}, {}};
#ifdef EXPECT_FAILURE
  session(std::vector<float>(16));
#else
  session(my_batch{});
#endif
}
