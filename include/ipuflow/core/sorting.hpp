// SPDX-License-Identifier: BSL-1.0
// Sorting, and what is found in sorted rows: std::sort costs several times as much to compile, for each kind of elements and each order.
// Equal elements come out in one order on all standard libraries.
#pragma once

#include <ipuflow/core/algorithms.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::algorithms {

namespace detail {

template <class T>
constexpr std::remove_reference_t<T>&& moved(T&& value) { return static_cast<std::remove_reference_t<T>&&>(value); }

template <class T>
constexpr void exchange(T& a, T& b) {
  T kept(moved(a));
  a = moved(b);
  b = moved(kept);
}

/// Lets the element at `hole` sink to its place in the heap below it.
template <class Iterator, class Less>
constexpr void sink(Iterator first, std::ptrdiff_t size, std::ptrdiff_t hole, Less& less) {
  auto sinking = moved(first[hole]);
  for (std::ptrdiff_t child; (child = 2 * hole + 1) < size; hole = child) {
    if (child + 1 < size && less(first[child], first[child + 1])) ++child;
    if (!less(sinking, first[child])) break;
    first[hole] = moved(first[child]);
  }
  first[hole] = moved(sinking);
}

template <class Iterator, class Less>
constexpr void insertion_sort(Iterator first, Iterator last, Less& less) {
  for (Iterator next = first; next != last; ++next) {
    Iterator hole = next;
    auto placed = moved(*next);
    for (; hole != first && less(placed, *(hole - 1)); --hole) *hole = moved(*(hole - 1));
    *hole = moved(placed);
  }
}

/// Quicksort around the middle one of three, down to short pieces; where it does not halve its pieces, a heap sorts them.
template <class Iterator, class Less>
constexpr void sort_pieces(Iterator first, Iterator last, std::size_t deepest, Less& less) {
  for (; last - first > 16; --deepest) {
    const std::ptrdiff_t size = last - first;
    if (deepest == 0) {
      for (std::ptrdiff_t i = size / 2; i-- > 0;) sink(first, size, i, less);
      for (std::ptrdiff_t i = size; --i > 0;) exchange(first[0], first[i]), sink(first, i, 0, less);
      return;
    }
    Iterator middle = first + size / 2, a = first, b = last - 1;
    if (less(*middle, *a)) exchange(*middle, *a);
    if (less(*b, *middle)) {
      exchange(*b, *middle);
      if (less(*middle, *a)) exchange(*middle, *a);
    }
    exchange(*++a, *middle);  // the pivot waits behind the first; `*first` and `*b` stop the two walks
    const Iterator pivot = a;
    while (true) {
      while (less(*++a, *pivot)) {}
      while (less(*pivot, *--b)) {}
      if (!(a < b)) break;
      exchange(*a, *b);
    }
    exchange(*pivot, *b);
    sort_pieces(b + 1, last, deepest - 1, less);
    last = b;
  }
  insertion_sort(first, last, less);
}

}  // namespace detail

template <class Iterator, class Less = smaller>
constexpr void sort(Iterator first, Iterator last, Less less = {}) {
  std::size_t halvings = 0;
  for (std::ptrdiff_t size = last - first; size > 1; size /= 2) ++halvings;
  detail::sort_pieces(first, last, 2 * halvings, less);
}
template <class Iterator, class Less = smaller>
[[nodiscard]] constexpr bool is_sorted(Iterator first, Iterator last, Less less = {}) {
  if (first == last) return true;
  for (Iterator next = first; ++next != last; first = next)
    if (less(*next, *first)) return false;
  return true;
}

/// The first that is not less than the value.
template <class Iterator, class Value, class Less = smaller>
[[nodiscard]] constexpr Iterator lower_bound(Iterator first, Iterator last, const Value& value, Less less = {}) {
  for (std::ptrdiff_t size = last - first; size > 0;) {
    const std::ptrdiff_t half = size / 2;
    if (less(first[half], value)) first += half + 1, size -= half + 1;
    else size = half;
  }
  return first;
}
/// The first that the value is less than.
template <class Iterator, class Value, class Less = smaller>
[[nodiscard]] constexpr Iterator upper_bound(Iterator first, Iterator last, const Value& value, Less less = {}) {
  for (std::ptrdiff_t size = last - first; size > 0;) {
    const std::ptrdiff_t half = size / 2;
    if (!less(value, first[half])) first += half + 1, size -= half + 1;
    else size = half;
  }
  return first;
}

/// Takes the last element into the heap before it, whose largest comes first.
template <class Iterator, class Less = smaller>
constexpr void push_heap(Iterator first, Iterator last, Less less = {}) {
  std::ptrdiff_t hole = last - first - 1;
  auto rising = detail::moved(first[hole]);
  for (; hole > 0 && less(first[(hole - 1) / 2], rising); hole = (hole - 1) / 2) first[hole] = detail::moved(first[(hole - 1) / 2]);
  first[hole] = detail::moved(rising);
}
/// Moves the largest to the end, out of the heap.
template <class Iterator, class Less = smaller>
constexpr void pop_heap(Iterator first, Iterator last, Less less = {}) {
  const std::ptrdiff_t size = last - first - 1;
  if (size < 1) return;
  detail::exchange(first[0], first[size]);
  detail::sink(first, size, 0, less);
}

}  // namespace ipuflow::algorithms
