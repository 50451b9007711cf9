// SPDX-License-Identifier: BSL-1.0
// Elements in a row that someone else keeps: a std::span at a twentieth of the price to compile for each type. It takes any array, a
// std::span too, and a std::span takes it.
#pragma once

#include <ipuflow/core/language.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow {

namespace arrays {

namespace impl {

/// No base for a derived one, whose size differs; what is constant stays so.
template <class From, class To>
inline constexpr bool are_elements_of = __is_same(From, To) || __is_same(const From, To);

}  // namespace impl

template <class T>
class light_span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T*;

  constexpr light_span() = default;
  constexpr light_span(T* first, std::size_t size) noexcept : first_{first}, size_{size} {}
  template <std::size_t N>
  constexpr light_span(T (&all)[N]) noexcept : first_{all}, size_{N} {}
  /// Any class of such elements in a row. Those of an array that dies with the call are read, not changed: it is asked as a constant.
  template <class Array>
    requires(!__is_same(std::remove_cvref_t<Array>, light_span)) && requires(const Array& all) {
      requires impl::are_elements_of<std::remove_reference_t<decltype(*all.data())>, T>;
      all.size();
    }
  constexpr light_span(Array&& all) noexcept : first_{all.data()}, size_{all.size()} {}

  [[nodiscard]] constexpr T* data() const noexcept { return first_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return first_; }
  constexpr T* end() const noexcept { return first_ + size_; }
  constexpr T& operator[](std::size_t i) const { return first_[i]; }
  [[nodiscard]] constexpr T& front() const { return *first_; }
  [[nodiscard]] constexpr T& back() const { return first_[size_ - 1]; }

  [[nodiscard]] constexpr light_span first(std::size_t count) const { return {first_, count}; }
  [[nodiscard]] constexpr light_span last(std::size_t count) const { return {end() - count, count}; }
  [[nodiscard]] constexpr light_span subspan(std::size_t from) const { return {first_ + from, size_ - from}; }
  [[nodiscard]] constexpr light_span subspan(std::size_t from, std::size_t count) const { return {first_ + from, count}; }

  /// The standard library's own, which takes by itself whatever has a name, and what cannot be changed.
  template <class Span>
    requires(!std::is_const_v<T>) && (Span::extent == static_cast<std::size_t>(-1)) && __is_same(typename Span::element_type, T)
  constexpr operator Span() && noexcept { return Span(first_, size_); }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

template <class Array>
light_span(Array&& all) -> light_span<std::remove_reference_t<decltype(*all.data())>>;

}  // namespace arrays

using arrays::light_span;

}  // namespace ipuflow
