// SPDX-License-Identifier: BSL-1.0
// An image as a sample: its elements, channel by channel and row by row, and its extents. Extents are part of the type
// (`image_extents<3, 32, 32>`) or numbers (`image_extents<>`). To a loader an image is the tensor of its elements.
#pragma once

#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

template <std::size_t... Extent>
struct image_extents;

template <std::size_t Channels, std::size_t Height, std::size_t Width>
  requires(Channels > 0 && Height > 0 && Width > 0)
struct image_extents<Channels, Height, Width> {
  static constexpr bool fixed = true;
  static constexpr std::size_t count = shape<Channels, Height, Width>::elements;
  [[nodiscard]] static constexpr std::size_t channels() { return Channels; }
  [[nodiscard]] static constexpr std::size_t height() { return Height; }
  [[nodiscard]] static constexpr std::size_t width() { return Width; }
  [[nodiscard]] static constexpr std::size_t elements() { return count; }
};

template <>
struct image_extents<> {
  static constexpr bool fixed = false;
  static constexpr std::size_t count = std::dynamic_extent;

  constexpr image_extents(std::size_t channels, std::size_t height, std::size_t width)
      : channels_{channels}, height_{height}, width_{width} {
    if (channels == 0 || height == 0 || width == 0) throw_if(dataset_fault{dataset_wrong::no_extent, 0, 1});
    (void)(bytes{channels} * height * width);  // checked, as those of a type are
  }

  [[nodiscard]] constexpr std::size_t channels() const { return channels_; }
  [[nodiscard]] constexpr std::size_t height() const { return height_; }
  [[nodiscard]] constexpr std::size_t width() const { return width_; }
  [[nodiscard]] constexpr std::size_t elements() const { return channels_ * height_ * width_; }

 private:
  std::size_t channels_;
  std::size_t height_;
  std::size_t width_;
};

/// Elements are a span of the dataset's memory, or an array or vector of its own.
template <class Elements, class Extents>
class image {
 public:
  using element_type = typename impl::field_layout<field_t<Elements>>::element_type;
  using extents_type = Extents;
  static constexpr bool fixed = Extents::fixed;

  /// Throws unless there are as many elements as the extents make.
  constexpr image(Elements elements, Extents extents) : elements_{std::move(elements)}, extents_{extents} {
    if (size() != extents_.elements()) {
      throw_if(dataset_fault{dataset_wrong::image_elements, size(), extents_.elements()});
    }
  }

  [[nodiscard]] constexpr const Extents& extents() const { return extents_; }
  [[nodiscard]] constexpr std::size_t channels() const { return extents_.channels(); }
  [[nodiscard]] constexpr std::size_t height() const { return extents_.height(); }
  [[nodiscard]] constexpr std::size_t width() const { return extents_.width(); }
  constexpr element_type operator()(std::size_t channel, std::size_t row, std::size_t column) const {
    return row_of(channel, row)[column];
  }

  /// All elements, as a range.
  [[nodiscard]] constexpr std::size_t size() const { return impl::elements_in<element_type>(elements_).size(); }
  constexpr const element_type* data() const { return impl::elements_in<element_type>(elements_).data(); }
  constexpr const element_type* begin() const { return data(); }
  constexpr const element_type* end() const { return data() + size(); }
  constexpr const Elements& elements() const { return elements_; }

  /// The first element of a row.
  constexpr const element_type* row_of(std::size_t channel, std::size_t row) const {
    return data() + (channel * height() + row) * width();
  }

 private:
  Elements elements_;
  [[no_unique_address]] Extents extents_;
};

namespace impl {

template <class Elements, class Extents>
struct field_of<image<Elements, Extents>> : field_of<Elements> {};

template <class T>
inline constexpr bool is_image = false;
template <class Elements, class Extents>
inline constexpr bool is_image<image<Elements, Extents>> = true;

/// Room for `count` elements that a transform makes: an array if `Count` is known, otherwise a vector.
template <class Element, std::size_t Count>
constexpr auto made_elements(std::size_t count) {
  if constexpr (Count == std::dynamic_extent) {
    return std::vector<Element>(count);
  } else {
    return std::array<Element, Count>{};
  }
}

template <class Element, class Extents>
constexpr auto made_elements(const Extents& extents) {
  return made_elements<Element, Extents::count>(extents.elements());
}

/// Height and width of what a transform makes; none if they are numbers.
template <std::size_t... Extent>
struct image_area;

template <std::size_t Height, std::size_t Width>
struct image_area<Height, Width> {
  static constexpr bool fixed = true;
  static constexpr std::size_t height = Height;
  static constexpr std::size_t width = Width;
};

template <>
struct image_area<> {
  static constexpr bool fixed = false;
  std::size_t height;
  std::size_t width;
};

/// The extents of an image of that area and as many channels as another one.
template <std::size_t Channels, std::size_t Height, std::size_t Width, std::size_t NewHeight, std::size_t NewWidth>
constexpr auto with_area(image_extents<Channels, Height, Width>, image_area<NewHeight, NewWidth>) {
  return image_extents<Channels, NewHeight, NewWidth>{};
}
template <class Extents, class Area>
constexpr auto with_area(const Extents& extents, const Area& area) {
  return image_extents<>{extents.channels(), area.height, area.width};
}

}  // namespace impl

}  // namespace ipuflow::feed
