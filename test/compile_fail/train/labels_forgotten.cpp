// SPDX-License-Identifier: BSL-1.0
// A batch of images without their classes.
// expect: ipuflow: .*batch_of_mine.* has 1 column but a sample of this pipeline has 2 values; give a column for each input and each value per sample
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

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"a">(nn::linear<8>, nn::relu)).ipu<0>(),
                                  stage(block<"b">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

struct batch_of_mine {
  std::array<float, 16> inputs{};
  std::array<std::uint8_t, 4> classes{};
  std::size_t size() const { return 4; }
  auto columns() const {
    const feed::column_view<std::span<const float>> images{inputs.data(), 4, 4};
#ifdef EXPECT_FAILURE
    return std::tuple{images};
#else
    return std::tuple{images, feed::column_view<std::uint8_t>{classes.data(), 4}};
#endif
  }
};

void train() {
  train::session session{network, timetable, train::sgd{}, {}};
  session(batch_of_mine{});
}
