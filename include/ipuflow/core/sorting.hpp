// SPDX-License-Identifier: BSL-1.0
// Sorting, and what is found in sorted rows: std::sort costs several times as much to compile, for each kind of elements and each order.
// Equal elements come out in one order on all standard libraries.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/heap.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::algorithms {

namespace impl {

/// For short rows, and such as are nearly in order; equal elements stay as they stand.
template <class Iterator, class Less>
constexpr void insertion_sort(Iterator first, Iterator last, Less& less) {
  for (Iterator next = first; next != last; ++next) {
    Iterator hole = next;
    auto placed = std::move(*next);
    for (; hole != first && less(placed, *(hole - 1)); --hole) *hole = std::move(*(hole - 1));
    *hole = std::move(placed);
  }
}

/// Quicksort around the middle one of three, down to short pieces; where it does not halve its pieces, a heap sorts them.
template <class Iterator, class Less>
constexpr void sort_pieces(Iterator first, Iterator last, std::size_t deepest, Less& less) {
  for (; last - first > 16; --deepest) {
    const std::ptrdiff_t size = last - first;
    if (deepest == 0) {
      for (std::ptrdiff_t i = size / 2; i-- > 0;) algorithms::sink(first, size, i, less);
      for (std::ptrdiff_t i = size; --i > 0;) algorithms::swap(first[0], first[i]), algorithms::sink(first, i, 0, less);
      return;
    }
    Iterator middle = first + size / 2, a = first, b = last - 1;
    if (less(*middle, *a)) algorithms::swap(*middle, *a);
    if (less(*b, *middle)) {
      algorithms::swap(*b, *middle);
      if (less(*middle, *a)) algorithms::swap(*middle, *a);
    }
    algorithms::swap(*++a, *middle);  // the pivot waits behind the first; `*first` and `*b` stop the two walks
    const Iterator pivot = a;
    while (true) {
      while (less(*++a, *pivot)) {}
      while (less(*pivot, *--b)) {}
      if (!(a < b)) break;
      algorithms::swap(*a, *b);
    }
    algorithms::swap(*pivot, *b);
    impl::sort_pieces(b + 1, last, deepest - 1, less);
    last = b;
  }
  impl::insertion_sort(first, last, less);
}

}  // namespace impl

template <class Iterator, class Less = smaller>
constexpr void sort(Iterator first, Iterator last, Less less = {}) {
  std::size_t halvings = 0;
  for (std::ptrdiff_t size = last - first; size > 1; size /= 2) ++halvings;
  impl::sort_pieces(first, last, 2 * halvings, less);
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

}  // namespace ipuflow::algorithms
