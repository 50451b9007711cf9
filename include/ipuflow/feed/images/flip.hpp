// SPDX-License-Identifier: BSL-1.0
// `| flip(mirror::left_right)` mirrors every image, `| flip_at_random(seed)` about every other one, others in each epoch.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/image.hpp>
#include <ipuflow/feed/images/images.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::feed {

/// The sides that a flip exchanges.
enum class mirror : unsigned char { left_right, upside_down };

namespace impl {

struct flipped {
  mirror way;
  double chance = 1;

  template <class Image>
  constexpr auto operator()(const Image& from) const {
    auto made = made_elements<typename Image::element_type>(from.extents());
    auto* into = made.data();
    for (std::size_t c = 0; c < from.channels(); ++c) {
      for (std::size_t y = 0; y < from.height(); ++y, into += from.width()) {
        const auto* const row = from.row_of(c, way == mirror::upside_down ? from.height() - 1 - y : y);
        algorithms::copy_n(row, from.width(), into);
        if (way == mirror::left_right) algorithms::reverse(into, into + from.width());
      }
    }
    return image{std::move(made), from.extents()};
  }

  /// Flipped or not; the upper 53 bits of the random number are a fraction.
  template <class Image>
  constexpr auto operator()(const Image& from, std::uint64_t random) const {
    if (static_cast<double>(random >> 11) * 0x1p-53 < chance) return (*this)(from);
    auto made = made_elements<typename Image::element_type>(from.extents());
    algorithms::copy_n(from.data(), from.size(), made.data());
    return image{std::move(made), from.extents()};
  }
};

}  // namespace impl

/// Every image mirrored.
[[nodiscard]] constexpr auto flip(mirror way = mirror::left_right) { return impl::on_images(impl::flipped{way}); }

/// Images mirrored with that chance, drawn from the seed, the epoch and the index.
[[nodiscard]] constexpr auto flip_at_random(std::uint64_t seed, mirror way = mirror::left_right, double chance = 0.5) {
  if (!(chance >= 0 && chance <= 1)) throw_if(dataset_fault{dataset_wrong::no_chance});
  return impl::on_images(impl::flipped{way, chance}, seed);
}

}  // namespace ipuflow::feed
