// SPDX-License-Identifier: BSL-1.0
// One field of many samples, side by side in memory: what a device reads. A field is a tensor (a span, an array, also of
// arrays, or a vector of numbers, all of one width within a dataset), or any other value, such as a label. `field_t` is
// the non-owning form of a field: for a tensor, a span of its elements.
#pragma once

#include <ipuflow/core/tensor.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
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
/// An array of arrays, however deep, is a tensor of the innermost elements.
template <class Value>
struct innermost {
  using type = Value;
  static constexpr std::size_t count = 1;
};
template <class Value, std::size_t Width>
struct innermost<std::array<Value, Width>> {
  using type = typename innermost<Value>::type;
  static constexpr std::size_t count = Width * innermost<Value>::count;
};
template <class Value, std::size_t Width>
  requires tensor_element<typename innermost<Value>::type>
struct field_of<std::array<Value, Width>> {
  using type = std::span<const typename innermost<Value>::type, Width * innermost<Value>::count>;
};
template <tensor_element Element>
struct field_of<std::vector<Element>> {
  using type = std::span<const Element>;
};

}  // namespace impl

template <class Value>
using field_t = typename impl::field_of<std::remove_cvref_t<Value>>::type;

namespace impl {

/// The elements of a field that is a tensor.
template <class Element, class Field>
constexpr std::span<const Element> elements_in(const Field& field) {
  if constexpr (requires { std::span<const Element>{field}; }) {
    return std::span<const Element>{field};
  } else {
    return {impl::elements_in<Element>(*field.data()).data(), innermost<Field>::count};  // nothing lies between the arrays
  }
}

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

/// The name of a type of numbers in messages.
template <class Number>
constexpr std::string_view number_name() {
  if constexpr (std::is_same_v<Number, half>) return "half";
  if constexpr (std::is_floating_point_v<Number>) return sizeof(Number) == 4 ? "float" : sizeof(Number) == 8 ? "double" : "long double";
  constexpr std::string_view names[2][4] = {{"std::uint8_t", "std::uint16_t", "std::uint32_t", "std::uint64_t"},
                                            {"std::int8_t", "std::int16_t", "std::int32_t", "std::int64_t"}};
  return names[std::is_signed_v<Number>][sizeof(Number) == 1 ? 0 : sizeof(Number) == 2 ? 1 : sizeof(Number) == 4 ? 2 : 3];
}

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

  /// The number of samples.
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  /// Elements in the field of one sample.
  [[nodiscard]] constexpr std::size_t width() const { return width_; }
  [[nodiscard]] constexpr const element_type* data() const { return data_; }
  /// All of it as a device reads it.
  [[nodiscard]] constexpr std::span<const element_type> elements() const { return {data_, size_ * width_}; }
  [[nodiscard]] constexpr bytes size_bytes() const { return bytes{sizeof(element_type)} * size_ * width_; }

  /// The field of one sample: a span if it is a tensor, otherwise the value.
  constexpr reference operator[](std::size_t sample) const {
    if constexpr (impl::field_layout<Field>::is_tensor) {
      return reference{data_ + sample * width_, width_};
    } else {
      return data_[sample];
    }
  }

  /// The field of `count` samples from `first` on.
  [[nodiscard]] constexpr column_view part(std::size_t first, std::size_t count) const {
    return {data_ + first * width_, count, width_};
  }

 private:
  const element_type* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
};

}  // namespace ipuflow::feed
