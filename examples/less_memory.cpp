// SPDX-License-Identifier: BSL-1.0
// One network with a stage of two concurrent branches and a checkpoint, trained with all activations kept, made again
// before the backward pass, and made again segment by segment within it: less and less memory, the same weights.
#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <tuple>
#include <vector>

using namespace ipuflow;

// begin: network
constexpr auto network = pipeline(input<float, 1, 16, 16>, per_sample<"label", std::uint8_t>,
    stage(block<"features">(nn::conv2d<8, 3>, nn::relu, nn::conv2d<8, 3>, nn::relu, nn::conv2d<8, 3>, nn::relu,
                            nn::checkpoint,
                            nn::conv2d<8, 3>, nn::relu, nn::conv2d<8, 3>, nn::relu, nn::max_pool<2>)).ipu<0>(),
    concurrent(stage(block<"narrow">(nn::conv2d<8, 1>, nn::relu, nn::flatten)).ipu<1>(),
               stage(block<"wide">(nn::conv2d<8, 3, 1, 1>, nn::relu, nn::flatten)).ipu<2>()),
    stage(block<"classes">(nn::add, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());
// end: network

/// Made-up pictures with made-up labels.
class pictures {
 public:
  explicit pictures(std::size_t count) : pixels_(count * 256), labels_(count) {
    for (std::size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = static_cast<std::uint8_t>(nn::random_bits(1, i) % 256);
    for (std::size_t i = 0; i < count; ++i) labels_[i] = static_cast<std::uint8_t>(nn::random_bits(2, i) % 10);
    columns_ = {{pixels_.data(), count, 256}, {labels_.data(), count}};
  }
  std::size_t size() const { return labels_.size(); }
  const auto& columns() const { return columns_; }

 private:
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> labels_;
  std::tuple<feed::column_view<std::span<const std::uint8_t>>, feed::column_view<std::uint8_t>> columns_;
};

int main() {
  std::vector<train::model<>> learned;
  // begin: train
  const auto train_with = [&](const char* what, schedule::recomputation how) {
    const auto timetable = schedule::grouped(network, micro_batches<18>, {.recompute = how});
    train::session session{network, timetable, train::adamw{}, {.micro_batch = 16, .inputs = {.scale = 1.0f / 255}}};
    const pictures data{session.samples_per_step()};
    for (int step = 0; step < 3; ++step) session(data);
    std::printf("%-38s %4zu KiB for the first stage\n", what, session.stash_bytes(0) / 1024);
    learned.push_back(*session.parameters());
  };
  train_with("kept", schedule::recomputation::none);
  train_with("made again before the backward", schedule::recomputation::then_backpropagate);
  train_with("made again by segments, within it", schedule::recomputation::and_backpropagate);
  // end: train
  const bool same = learned[0] == learned[1] && learned[0] == learned[2];
  std::printf("the same weights, bit for bit: %s\n", same ? "yes" : "no");
  return same ? 0 : 1;
}
