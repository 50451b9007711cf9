// SPDX-License-Identifier: BSL-1.0
// Algorithms of <algorithm>, those that are called here: that header costs a sixth of <ranges>, and its calls more for each
// kind of elements. Named and called as there, in a namespace of their own, so that no argument brings the others in.
#pragma once

#include <ipuflow/core/language.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::algorithms {

template <class T>
[[nodiscard]] constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T>
[[nodiscard]] constexpr T min(T a, T b, T c) { return algorithms::min(algorithms::min(a, b), c); }
template <class T>
[[nodiscard]] constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T>
[[nodiscard]] constexpr T max(T a, T b, T c) { return algorithms::max(algorithms::max(a, b), c); }
template <class T>
[[nodiscard]] constexpr T clamp(T value, T least, T most) { return value < least ? least : most < value ? most : value; }

struct smaller {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const { return a < b; }
};
struct same {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const { return a == b; }
};

template <class Iterator, class Is>
[[nodiscard]] constexpr Iterator find_if(Iterator first, Iterator last, Is is) {
  while (first != last && !is(*first)) ++first;
  return first;
}
template <class Iterator, class Value>
[[nodiscard]] constexpr Iterator find(Iterator first, Iterator last, const Value& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class Iterator>
[[nodiscard]] constexpr Iterator adjacent_find(Iterator first, Iterator last) {
  if (first == last) return last;
  for (Iterator next = first; ++next != last; first = next)
    if (*first == *next) return first;
  return last;
}

template <class Iterator, class Is>
[[nodiscard]] constexpr bool any_of(Iterator first, Iterator last, Is is) {
  for (; first != last; ++first)
    if (is(*first)) return true;
  return false;
}
template <class Iterator, class Is>
[[nodiscard]] constexpr bool none_of(Iterator first, Iterator last, Is is) { return !algorithms::any_of(first, last, is); }
template <class Iterator, class Is>
[[nodiscard]] constexpr bool all_of(Iterator first, Iterator last, Is is) {
  for (; first != last; ++first)
    if (!is(*first)) return false;
  return true;
}

template <class Iterator, class Is>
[[nodiscard]] constexpr std::ptrdiff_t count_if(Iterator first, Iterator last, Is is) {
  std::ptrdiff_t found = 0;
  for (; first != last; ++first) found += is(*first) ? 1 : 0;
  return found;
}
template <class Iterator, class Value>
[[nodiscard]] constexpr std::ptrdiff_t count(Iterator first, Iterator last, const Value& value) {
  std::ptrdiff_t found = 0;
  for (; first != last; ++first) found += *first == value ? 1 : 0;
  return found;
}

/// The first of the largest; the end of none.
template <class Iterator, class Less = smaller>
[[nodiscard]] constexpr Iterator max_element(Iterator first, Iterator last, Less less = {}) {
  Iterator found = first;
  for (; first != last; ++first)
    if (less(*found, *first)) found = first;
  return found;
}
/// The first of the smallest; the end of none.
template <class Iterator, class Less = smaller>
[[nodiscard]] constexpr Iterator min_element(Iterator first, Iterator last, Less less = {}) {
  Iterator found = first;
  for (; first != last; ++first)
    if (less(*first, *found)) found = first;
  return found;
}

template <class A, class B, class Alike = same>
[[nodiscard]] constexpr bool equal(A a, A last_a, B b, B last_b, Alike alike = {}) {
  for (; a != last_a && b != last_b; ++a, ++b)
    if (!alike(*a, *b)) return false;
  return a == last_a && b == last_b;
}

template <class Iterator, class Value>
constexpr void fill(Iterator first, Iterator last, const Value& value) {
  for (const Value kept = value; first != last; ++first) *first = kept;  // kept: the caller's may lie in what is filled
}
template <class From, class Size, class To>
constexpr To copy_n(From from, Size count, To to) {
  if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To>) {
    using element = std::remove_pointer_t<To>;
    if constexpr (__is_same(std::remove_cv_t<std::remove_pointer_t<From>>, element) && __is_trivially_copyable(element)) {
      if (!std::is_constant_evaluated()) {
        if (count > 0) __builtin_memmove(to, from, static_cast<std::size_t>(count) * sizeof(element));
        return to + count;
      }
    }
  }
  for (; count > 0; --count, ++from, ++to) *to = *from;
  return to;
}
template <class From, class To>
constexpr To copy(From from, From last, To to) {
  if constexpr (std::is_pointer_v<From>) {
    return algorithms::copy_n(from, last - from, to);
  } else {
    for (; from != last; ++from, ++to) *to = *from;
    return to;
  }
}

template <class From, class To>
constexpr To move(From from, From last, To to) {
  if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To> && __is_trivially_copyable(std::remove_pointer_t<To>)) {
    return algorithms::copy(from, last, to);
  } else {
    for (; from != last; ++from, ++to) *to = static_cast<std::remove_reference_t<decltype(*from)>&&>(*from);
    return to;
  }
}

/// std::swap asks each kind whether it can.
template <class T>
constexpr void swap(T& a, T& b) {
  T kept(static_cast<T&&>(a));
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}

/// Puts a value into `old`, and gives what was there.
template <class T>
constexpr T exchange(T& old, std::type_identity_t<T> value) {
  T before = static_cast<T&&>(old);
  old = static_cast<T&&>(value);
  return before;
}

template <class Iterator>
constexpr void reverse(Iterator first, Iterator last) {
  for (; first != last && first != --last; ++first) algorithms::swap(*first, *last);
}
/// Moves one of each run of equals to the front; what stands behind the returned end is of no use.
template <class Iterator>
constexpr Iterator unique(Iterator first, Iterator last) {
  if (first == last) return last;
  Iterator kept = first;
  while (++first != last)
    if (!(*kept == *first) && ++kept != first) *kept = static_cast<std::remove_reference_t<decltype(*first)>&&>(*first);
  return ++kept;
}

}  // namespace ipuflow::algorithms
