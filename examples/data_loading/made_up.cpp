// SPDX-License-Identifier: BSL-1.0
// The experiment with made-up images, as many and as large as the tutorial's.
#include "experiment.hpp"

#include <array>
#include <tuple>
#include <vector>

namespace {

constexpr std::size_t size = 128;

/// Images in memory, a number for each pixel.
struct random_images {
  std::vector<float> pixels;
  std::vector<std::uint8_t> labels;

  explicit random_images(std::size_t count) : pixels(count * size * size), labels(count) {
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = 2 * nn::random_unit(1, i) - 1;
    for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint8_t>(nn::random_bits(2, i) % 10);
  }
  std::size_t count() const { return labels.size(); }
};

}  // namespace

void with_made_up_images(const experiment& e) {
  const random_images made(e.items);
  const auto images = feed::zip(feed::rows<size, size>(made.pixels), feed::rows<1>(made.labels));
  compare<size>(e, images, {});
}
