// SPDX-License-Identifier: BSL-1.0
// Sorting by a number, digit by digit: several times as fast as by comparisons where many items stand anyhow.
#pragma once

#include <ipuflow/core/sorting.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::algorithms {

/// Sorts by `number(item)`, which has no sign; items of equal numbers stay as they stand. `spare` has room for as many.
template <class Item, class Number>
void radix_sort(Item* first, Item* last, Item* spare, Number&& number) {
  const auto size = static_cast<std::size_t>(last - first);
  if (size <= 32) {
    const auto before = [&](const Item& a, const Item& b) { return number(a) < number(b); };
    return impl::insertion_sort(first, last, before);
  }
  std::uint64_t least = number(*first), most = least;
  for (const Item* i = first; i != last; ++i) {
    const std::uint64_t n = number(*i);
    least = n < least ? n : least, most = n > most ? n : most;
  }
  Item *from = first, *to = spare;
  for (std::size_t shift = 0; shift < 64 && (most - least) >> shift != 0; shift += 8) {
    const auto digit = [&](const Item& i) { return static_cast<std::size_t>((number(i) - least) >> shift & 255); };
    std::array<std::size_t, 257> place{};
    for (std::size_t i = 0; i < size; ++i) ++place[digit(from[i]) + 1];
    if (place[digit(from[0]) + 1] == size) continue;
    for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1];
    for (std::size_t i = 0; i < size; ++i) to[place[digit(from[i])]++] = from[i];
    algorithms::swap(from, to);
  }
  if (from == first) return;
  for (std::size_t i = 0; i < size; ++i) first[i] = from[i];
}

}  // namespace ipuflow::algorithms
