// SPDX-License-Identifier: BSL-1.0
// One field of many samples, side by side in memory: what a device reads. A field is a tensor (a span, an array or a
// vector of numbers, all of one width within a dataset), or any other value, such as a label. `field_t` is the
// non-owning form of a field: for a tensor, a span of its elements.
#pragma once

#include <ipuflow/core/shape.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// A type of the elements of tensors.
template <class T>
concept tensor_element = element<T> && !std::is_same_v<T, bool>;

namespace impl {

template <class Value>
struct field_of {
  using type = Value;
};
template <class Element, std::size_t Width>
  requires tensor_element<std::remove_const_t<Element>>
struct field_of<std::span<Element, Width>> {
  using type = std::span<const std::remove_const_t<Element>, Width>;
};
template <tensor_element Element, std::size_t Width>
struct field_of<std::array<Element, Width>> {
  using type = std::span<const Element, Width>;
};
template <tensor_element Element>
struct field_of<std::vector<Element>> {
  using type = std::span<const Element>;
};

}  // namespace impl

template <class Value>
using field_t = typename impl::field_of<std::remove_cvref_t<Value>>::type;

namespace impl {

/// True for samples that have several fields, or one in a tuple.
template <class Sample>
inline constexpr bool is_tuple = false;
template <class... Part>
inline constexpr bool is_tuple<std::tuple<Part...>> = true;
template <class First, class Second>
inline constexpr bool is_tuple<std::pair<First, Second>> = true;

/// The layout of a field in memory: a number of elements of one type.
template <class Field>
struct field_layout {
  using element_type = Field;
  using reference = const Field&;
  static constexpr bool is_tensor = false;
  static constexpr std::size_t width = 1;
};
template <class Element, std::size_t Width>
struct field_layout<std::span<const Element, Width>> {
  using element_type = Element;
  using reference = std::span<const Element, Width>;
  static constexpr bool is_tensor = true;
  static constexpr std::size_t width = Width;  // std::dynamic_extent: the same for all samples, known when there is one
};

}  // namespace impl

/// The field `Field` of `size()` samples; a view that owns nothing.
template <class Field>
class column_view {
 public:
  using field_type = Field;
  using element_type = typename impl::field_layout<Field>::element_type;
  using reference = typename impl::field_layout<Field>::reference;

  constexpr column_view() = default;
  constexpr column_view(const element_type* data, std::size_t size, std::size_t width = impl::field_layout<Field>::width)
      : data_{data}, size_{size}, width_{width} {}

  /// How many samples.
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  /// Elements in the field of one sample.
  [[nodiscard]] constexpr std::size_t width() const { return width_; }
  constexpr const element_type* data() const { return data_; }
  /// All of it as a device reads it.
  constexpr std::span<const element_type> elements() const { return {data_, size_ * width_}; }
  constexpr bytes size_bytes() const { return bytes{sizeof(element_type)} * size_ * width_; }

  /// The field of one sample: a span if it is a tensor, otherwise the value.
  constexpr reference operator[](std::size_t sample) const {
    if constexpr (impl::field_layout<Field>::is_tensor) {
      return reference{data_ + sample * width_, width_};
    } else {
      return data_[sample];
    }
  }

  /// The field of `count` samples from `first` on.
  constexpr column_view part(std::size_t first, std::size_t count) const {
    return {data_ + first * width_, count, width_};
  }

 private:
  const element_type* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
};

}  // namespace ipuflow::feed
