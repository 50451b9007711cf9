// SPDX-License-Identifier: BSL-1.0
// A tiny residual network of the zoo, and made-up images for it: what tests of sessions share. Both of its layers have a projection
// in their first block, and the second one a block without.
#pragma once

#include "small_network.hpp"

#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace ipuflow::test {

inline constexpr auto small_resnet = single_stage(
    input<float, 3, 8, 8>, per_sample<"class", std::uint8_t>,
    zoo::resnet<zoo::resnet_sizes{.counts = {1, 2}, .planes = 4}, 4, zoo::stem::small_images>, block<"loss">(use<"class">(nn::cross_entropy)));

/// Images of which a quarter is brighter, in a colour of its own: it says which class they have.
class made_up_images {
 public:
  explicit made_up_images(std::size_t count, std::uint64_t seed = 7) : pixels_(count * 192), classes_(count) {
    for (std::size_t i = 0; i < count; ++i) classes_[i] = static_cast<std::uint8_t>(nn::random_bits(seed, i) % 4);
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      const std::size_t x = i % 8, y = i / 8 % 8, channel = i / 64 % 3, of = classes_[i / 192];
      const bool bright = y / 4 * 2 + x / 4 == of && channel != of;
      pixels_[i] = static_cast<std::uint8_t>(nn::random_bits(seed + 1, i) % 128 + (bright ? 127 : 0));
    }
    columns_ = {{pixels_.data(), count, 192}, {classes_.data(), count}};
  }

  std::size_t size() const { return classes_.size(); }
  const auto& columns() const { return columns_; }

 private:
  std::vector<std::uint8_t> pixels_, classes_;
  std::tuple<feed::column_view<std::span<const std::uint8_t>>, feed::column_view<std::uint8_t>> columns_;
};

inline train::options resnet_options(std::size_t micro_batch) {
  return {.micro_batch = micro_batch, .inputs = train::scaling::of_pixels(0.4f, 0.3f)};
}

}  // namespace ipuflow::test
