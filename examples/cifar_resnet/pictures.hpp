// SPDX-License-Identifier: BSL-1.0
// Pictures of CIFAR-10, or drawn ones, and how they are augmented.
#pragma once

#include <ipuflow/feed.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace ipuflow;

/// The pictures of files of CIFAR-10, or as many drawn ones: stripes, in one of two directions and one of five colours.
class pictures {
 public:
  using picture = std::array<std::uint8_t, 3 * 32 * 32>;

  pictures(const std::vector<std::string>& files, std::size_t drawn, std::uint64_t seed) : drawn_{drawn}, seed_{seed} {
    if (!files.empty()) files_.emplace(files);
  }
  std::size_t size() const { return files_ ? files_->size() : drawn_; }

  std::tuple<picture, std::uint8_t> operator[](std::size_t index) const {
    if (!files_) return draw(nn::random_bits(seed_, index));
    const auto [bytes, label] = (*files_)[index];
    picture copied{};
    std::copy(bytes.begin(), bytes.end(), copied.begin());
    return {copied, label};
  }

 private:
  static std::tuple<picture, std::uint8_t> draw(std::uint64_t seed) {
    const std::size_t label = seed % 10;
    const float phase = 6.3f * nn::random_unit(seed, 0), width = 1.5f + 2 * nn::random_unit(seed, 1);
    picture p{};
    for (std::size_t i = 0; i < p.size(); ++i) {
      const std::size_t colour = i / 1024, along = label % 2 == 0 ? i % 32 : i / 32 % 32;
      const float stripe = std::sin(static_cast<float>(along) / width + phase) * ((label / 2 + 1) >> colour & 1 ? 60.0f : 10.0f);
      p[i] = static_cast<std::uint8_t>(128 + stripe + 60 * (nn::random_unit(seed, 2 + i) - 0.5f));
    }
    return {p, static_cast<std::uint8_t>(label)};
  }

  std::optional<feed::cifar10_dataset> files_;
  std::size_t drawn_;
  std::uint64_t seed_;
};

// begin: augmented
inline auto augmented(const pictures& all) {
  return all | feed::images<3, 32, 32>() | feed::crop_at_random<32, 32>(2, 4) | feed::flip_at_random(3);
}
// end: augmented
