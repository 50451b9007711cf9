// SPDX-License-Identifier: BSL-1.0
// `| crop<28, 28>()` cuts the centre out of every image, `| crop_at_random<28, 28>(seed, padding)` a place that is drawn
// anew in each epoch, of the image with a frame of `padding` zeros around it. Sizes may be numbers: `crop(28, 28)`.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/image.hpp>
#include <ipuflow/feed/images/images.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// The part of one axis of an image that a window covers; both are places in the image with its frame.
struct covered {
  std::size_t from;  ///< first element, of the image
  std::size_t into;  ///< the same, of the window
  std::size_t count = 0;

  constexpr covered(std::size_t first, std::size_t window, std::size_t padding, std::size_t size)
      : from{first > padding ? first - padding : 0}, into{first < padding ? padding - first : 0} {
    if (from < size && into < window) count = algorithms::min(size - from, window - into);
  }
};

template <class Area>
struct cropped {
  Area size;
  std::size_t padding = 0;

  /// The fault if all extents are known.
  template <class Image>
  static constexpr auto refusal_of() {
    if constexpr (Image::fixed && Area::fixed) {
      using extents = typename Image::extents_type;
      constexpr bool high = Area::height > extents::height();
      if constexpr (high || Area::width > extents::width()) {
        return problem_in<dataset_fault{dataset_wrong::crop_too_large, high ? Area::height : Area::width,
                                        high ? extents::height() : extents::width()}>{};
      } else {
        return nothing_wrong{};
      }
    } else {
      return nothing_wrong{};
    }
  }

  template <class Image>
  constexpr auto operator()(const Image& from) const {
    check(from);
    return cut(from, (from.height() - size.height) / 2, (from.width() - size.width) / 2);
  }
  template <class Image>
  constexpr auto operator()(const Image& from, std::uint64_t random) const {
    check(from);
    const std::size_t rows = from.height() + 2 * padding - size.height + 1;
    const std::size_t columns = from.width() + 2 * padding - size.width + 1;
    return cut(from, mixed_bits(random + 1) % rows, mixed_bits(random + 2) % columns);
  }

 private:
  template <class Image>
  constexpr void check(const Image& from) const {
    if (size.height > from.height()) {
      throw_if(dataset_fault{dataset_wrong::crop_too_large, size.height, from.height()});
    }
    if (size.width > from.width()) throw_if(dataset_fault{dataset_wrong::crop_too_large, size.width, from.width()});
  }

  template <class Image>
  constexpr auto cut(const Image& from, std::size_t top, std::size_t left) const {
    const auto extents = with_area(from.extents(), size);
    auto made = made_elements<typename Image::element_type>(extents);  // zeros
    const covered rows{top, size.height, padding, from.height()};
    const covered columns{left, size.width, padding, from.width()};
    for (std::size_t c = 0; c < from.channels(); ++c) {
      for (std::size_t y = 0; y < rows.count; ++y) {
        algorithms::copy_n(from.row_of(c, rows.from + y) + columns.from, columns.count,
                           made.data() + (c * size.height + rows.into + y) * size.width + columns.into);
      }
    }
    return image{std::move(made), extents};
  }
};

}  // namespace impl

/// The centre of every image; where that is between two places, the upper left one.
template <std::size_t Height, std::size_t Width>
[[nodiscard]] constexpr auto crop() {
  return impl::on_images(impl::cropped<impl::image_area<Height, Width>>{});
}
[[nodiscard]] constexpr auto crop(std::size_t height, std::size_t width) {
  return impl::on_images(impl::cropped<impl::image_area<>>{{height, width}});
}

namespace impl {

/// Throws if a frame is wider than any image is.
constexpr std::size_t checked_frame(std::size_t padding) {
  constexpr std::size_t most = static_cast<std::size_t>(1) << 32;
  if (padding > most) throw_if(dataset_fault{dataset_wrong::wide_frame, padding, most});
  return padding;
}

}  // namespace impl

/// A place of every image and its frame of zeros, drawn from the seed, the epoch and the index.
template <std::size_t Height, std::size_t Width>
[[nodiscard]] constexpr auto crop_at_random(std::uint64_t seed, std::size_t padding = 0) {
  return impl::on_images(impl::cropped<impl::image_area<Height, Width>>{{}, impl::checked_frame(padding)}, seed);
}
[[nodiscard]] constexpr auto crop_at_random(std::size_t height, std::size_t width, std::uint64_t seed,
                                            std::size_t padding = 0) {
  return impl::on_images(impl::cropped<impl::image_area<>>{{height, width}, impl::checked_frame(padding)}, seed);
}

}  // namespace ipuflow::feed
