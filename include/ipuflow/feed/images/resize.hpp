// SPDX-License-Identifier: BSL-1.0
// `| resize<224, 224>()`: every image in another size, by the nearest element or between the four nearest ones. Places
// are those of PyTorch's `interpolate` with `align_corners` false: the centre of element `i` is at `(i + 0.5) * in / out`
// of the image, and nothing is averaged where an image becomes smaller.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/convert.hpp>
#include <ipuflow/feed/images/image.hpp>
#include <ipuflow/feed/images/images.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::feed {

enum class interpolation : unsigned char { bilinear, nearest };

namespace impl {

/// The two elements of an axis that make one, and the weight of the second.
template <class Real>
struct two_elements {
  std::size_t first = 0;
  std::size_t second = 0;
  Real weight = 0;
};

/// The elements at place `at` of an axis of `out` elements that is made of `in`.
template <class Real>
constexpr two_elements<Real> elements_at(std::size_t at, std::size_t in, std::size_t out, interpolation how) {
  if (how == interpolation::nearest) return {at * in / out, at * in / out, 0};
  const Real place = static_cast<Real>(in) / static_cast<Real>(out) * (static_cast<Real>(at) + Real{0.5}) - Real{0.5};
  if (!(place > 0)) return {};
  const std::size_t first = algorithms::min(static_cast<std::size_t>(place), in - 1);
  return {first, algorithms::min(first + 1, in - 1), place - static_cast<Real>(first)};
}

template <class Area>
struct resized {
  Area size;
  interpolation how;

  template <class Image>
  constexpr auto operator()(const Image& from) const {
    using element_type = typename Image::element_type;
    using real = scaled_in<element_type, element_type>;
    const auto extents = with_area(from.extents(), size);
    auto made = made_elements<element_type>(extents);
    auto columns = columns_of<two_elements<real>>();
    for (std::size_t x = 0; x < size.width; ++x) columns[x] = elements_at<real>(x, from.width(), size.width, how);
    auto* into = made.data();
    for (std::size_t c = 0; c < from.channels(); ++c) {
      for (std::size_t y = 0; y < size.height; ++y, into += size.width) {
        const two_elements<real> row = elements_at<real>(y, from.height(), size.height, how);
        const element_type* const above = from.row_of(c, row.first);
        if (how == interpolation::nearest) {
          for (std::size_t x = 0; x < size.width; ++x) into[x] = above[columns[x].first];
        } else {
          between(above, from.row_of(c, row.second), row.weight, columns, into);
        }
      }
    }
    return image{std::move(made), extents};
  }

 private:
  template <class T>
  constexpr auto columns_of() const {
    if constexpr (Area::fixed) {
      return std::array<T, Area::width>{};
    } else {
      return std::vector<T>(size.width);
    }
  }

  template <class Element, class Real, class Columns>
  constexpr void between(const Element* above, const Element* below, Real weight, const Columns& columns,
                         Element* into) const {
    for (std::size_t x = 0; x < size.width; ++x) {
      const two_elements<Real> at = columns[x];
      const auto mean = [&](const Element* row) {
        return (1 - at.weight) * static_cast<Real>(row[at.first]) + at.weight * static_cast<Real>(row[at.second]);
      };
      into[x] = converted<Element>((1 - weight) * mean(above) + weight * mean(below));
    }
  }
};

}  // namespace impl

/// Every image in another size.
template <std::size_t Height, std::size_t Width>
  requires(Height > 0 && Width > 0)
[[nodiscard]] constexpr auto resize(interpolation how = interpolation::bilinear) {
  return impl::on_images(impl::resized<impl::image_area<Height, Width>>{{}, how});
}
[[nodiscard]] constexpr auto resize(std::size_t height, std::size_t width, interpolation how = interpolation::bilinear) {
  if (height == 0 || width == 0) throw_if(dataset_fault{dataset_wrong::no_extent, 0, 1});
  return impl::on_images(impl::resized<impl::image_area<>>{{height, width}, how});
}

}  // namespace ipuflow::feed
