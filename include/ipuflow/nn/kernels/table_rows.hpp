// SPDX-License-Identifier: BSL-1.0
// Rows of a table [entry][feature] into the lanes of a batch of rows, and gradients back: what embeddings do. Blocks of as many
// rows as there are lanes are turned in registers, so the table is read and written in runs.
#pragma once

#include <ipuflow/nn/kernels/packing.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// to[row] = table[entry_of(row)], or added to what is there; padding gets zeros.
template <bool Adds, class T, std::size_t Features, class EntryOf>
void gather_rows(const T* table, batch<T, shape<Features>> to, EntryOf entry_of) {
  constexpr std::size_t blocks = std::is_arithmetic_v<T> ? Features / lane_count * lane_count : 0;
  for (std::size_t g = 0; g < to.groups; ++g) {
    const std::size_t count = to.samples_in(g);
    const T* rows[lane_count]{};
    for (std::size_t l = 0; l < count; ++l) rows[l] = table + entry_of(g * lane_count + l) * Features;
    const auto put = [&](std::size_t feature, const lanes<T>& value) {
      if constexpr (Adds) {
        to.group(g)[feature] += value;
      } else {
        to.group(g)[feature] = value;
      }
    };
    if constexpr (blocks > 0) {
      for (std::size_t f = 0; f < blocks; f += lane_count) {
        lanes<T> block[lane_count]{}, turned[lane_count];
        for (std::size_t l = 0; l < count; ++l) block[l] = load_as<T>(rows[l] + f);
        transpose(block, turned);
        for (std::size_t i = 0; i < lane_count; ++i) put(f + i, turned[i]);
      }
    }
    for (std::size_t f = blocks; f < Features; ++f) {
      lanes<T> one{};
      for (std::size_t l = 0; l < count; ++l) one.set(l, rows[l][f]);
      put(f, one);
    }
  }
}

/// table[entry_of(row)] += from[row], in the order of rows.
template <class T, std::size_t Features, class EntryOf>
void add_to_rows(T* table, batch<const T, shape<Features>> from, EntryOf entry_of) {
  constexpr std::size_t blocks = std::is_arithmetic_v<T> ? Features / lane_count * lane_count : 0;
  for (std::size_t g = 0; g < from.groups; ++g) {
    const std::size_t count = from.samples_in(g);
    T* rows[lane_count]{};
    for (std::size_t l = 0; l < count; ++l) rows[l] = table + entry_of(g * lane_count + l) * Features;
    if constexpr (blocks > 0) {
      for (std::size_t f = 0; f < blocks; f += lane_count) {
        lanes<T> turned[lane_count];
        transpose(from.group(g) + f, turned);
        for (std::size_t l = 0; l < count; ++l) add_lanes_to(rows[l] + f, turned[l]);
      }
    }
    for (std::size_t f = blocks; f < Features; ++f) {
      for (std::size_t l = 0; l < count; ++l) add_to(rows[l][f], from.group(g)[f][l]);
    }
  }
}

}  // namespace impl

}  // namespace ipuflow::nn
