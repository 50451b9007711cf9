// SPDX-License-Identifier: BSL-1.0
// Mappings of values for tests of rows: in order, in blocks of a matrix, and scattered over tiles piece by piece.
#pragma once

#include <ipuflow/ipu/program/mapping.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace row_maps {

using namespace ipuflow;

inline ipu::mapping scattered(std::size_t elements, std::size_t tiles, unsigned seed) {
  std::mt19937 random{seed};
  ipu::mapping made;
  for (std::size_t at = 0; at < elements;) {
    const std::size_t end = std::min(elements, at + 1 + random() % 9);
    made.push_back({at, end, random() % tiles});
    at = end;
  }
  return made;
}

/// Of a value in rows of `width`.
inline std::vector<ipu::mapping> all(std::size_t elements, std::size_t width, std::size_t tiles) {
  const std::size_t columns = std::min<std::size_t>(width, 3), rows = std::min(elements / width, tiles / columns);
  return {ipu::linear(elements, tiles, 0, 2), ipu::linear(elements, tiles, 0, width), ipu::grid(elements / width, width, rows, columns), scattered(elements, tiles, 5)};
}

}  // namespace row_maps
