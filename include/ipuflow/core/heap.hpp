// SPDX-License-Identifier: BSL-1.0
// A heap in a row: its largest element comes first, and one comes in or leaves in as many moves as the row can be halved.
#pragma once

#include <ipuflow/core/algorithms.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::algorithms {

/// Lets the element at `hole` sink to its place in the heap below it.
template <class Iterator, class Less>
constexpr void sink(Iterator first, std::ptrdiff_t size, std::ptrdiff_t hole, Less& less) {
  auto sinking = std::move(first[hole]);
  for (std::ptrdiff_t child; (child = 2 * hole + 1) < size; hole = child) {
    if (child + 1 < size && less(first[child], first[child + 1])) ++child;
    if (!less(sinking, first[child])) break;
    first[hole] = std::move(first[child]);
  }
  first[hole] = std::move(sinking);
}

/// Takes the last element into the heap before it, whose largest comes first.
template <class Iterator, class Less = smaller>
constexpr void push_heap(Iterator first, Iterator last, Less less = {}) {
  std::ptrdiff_t hole = last - first - 1;
  auto rising = std::move(first[hole]);
  for (; hole > 0 && less(first[(hole - 1) / 2], rising); hole = (hole - 1) / 2) first[hole] = std::move(first[(hole - 1) / 2]);
  first[hole] = std::move(rising);
}
/// Moves the largest to the end, out of the heap.
template <class Iterator, class Less = smaller>
constexpr void pop_heap(Iterator first, Iterator last, Less less = {}) {
  const std::ptrdiff_t size = last - first - 1;
  if (size < 1) return;
  algorithms::swap(first[0], first[size]);
  algorithms::sink(first, size, 0, less);
}

}  // namespace ipuflow::algorithms
