// SPDX-License-Identifier: BSL-1.0
// A network of four small stages, made-up samples for it, and a training of a few steps: what the tests of sessions
// share.
#pragma once

#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace ipuflow::test {

inline constexpr auto small_network = pipeline(
    input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::batch_norm, nn::relu),
    block<"b">(nn::flatten, nn::linear<8>, nn::tanh), block<"c">(nn::linear<6>, nn::dropout<0.25>, nn::gelu),
    block<"d">(nn::linear<4>, use<"label">(nn::cross_entropy)));

/// Samples that are the same wherever they are made; a brighter quarter of the image says which label it has.
class made_up {
 public:
  explicit made_up(std::size_t count, std::uint64_t seed = 7) : pixels_(count * 36), labels_(count) {
    for (std::size_t i = 0; i < count; ++i) labels_[i] = static_cast<std::uint8_t>(nn::random_bits(seed, i) % 4);
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      const std::size_t x = i % 6;
      const std::size_t y = i / 6 % 6;
      const bool bright = y / 3 * 2 + x / 3 == labels_[i / 36];
      pixels_[i] = static_cast<std::uint8_t>(nn::random_bits(seed + 1, i) % 128 + (bright ? 127 : 0));
    }
    columns_ = {{pixels_.data(), count, 36}, {labels_.data(), count}};
  }

  std::size_t size() const { return labels_.size(); }
  const auto& columns() const { return columns_; }
  std::span<const std::uint8_t> labels() const { return labels_; }

 private:
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint8_t> labels_;
  std::tuple<feed::column_view<std::span<const std::uint8_t>>, feed::column_view<std::uint8_t>> columns_;
};

inline train::options small_options(std::size_t micro_batch = 5) {
  train::options o;
  o.micro_batch = micro_batch;
  o.device_iterations = 2;
  o.inputs = train::scaling::of_pixels(0.4f, 0.3f);
  return o;
}

/// What a few steps make of a session's model.
template <class Session>
auto train_for(Session& session, std::size_t steps = 2) {
  const made_up data{session.samples_per_step()};
  for (std::size_t i = 0; i < steps; ++i) session(data);
  return *session.parameters();
}

template <class P, class T>
train::model<> trained(const P& pipeline, const T& timetable, const train::options& o, const on::threads& where = {.count = 1}) {
  train::session session{pipeline, timetable, train::adamw{.rate = 1e-2f}, o, where};
  return train_for(session);
}

}  // namespace ipuflow::test
