// SPDX-License-Identifier: BSL-1.0
// The options of planning an operation, and the parts into which a plan cuts what is shared out over tiles.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The tiles and the memory that an operation may be laid out on.
struct plan_options {
  double memory_proportion =
      0.6;                     ///< of a tile's memory, for what an operation needs besides its operands [poplibs' default]
  std::size_t first_tile = 0;  ///< of those it may use
  std::size_t tiles = 0;       ///< none: all tiles of the first tile's chip, from there
  bool half_partials = false;  ///< products of halves are summed in halves
};

/// The precision of a product, as these options have it.
[[nodiscard]] constexpr amp_precision summed_as(amp_precision type, const plan_options& options) {
  return type == amp_precision::half_float && options.half_partials ? amp_precision::half_half : type;
}

namespace impl {

/// `count` cut into `parts`: where part `i` begins.
constexpr std::size_t part_begin(std::size_t count, std::size_t parts, std::size_t i) { return i * count / parts; }

}  // namespace impl

constexpr std::size_t part_size(std::size_t count, std::size_t parts, std::size_t i) {
  return impl::part_begin(count, parts, i + 1) - impl::part_begin(count, parts, i);
}

namespace impl {

/// Numbers of parts worth trying: for each size of the largest part the fewest parts that give it.
template <class = void>
inline light_vector<std::size_t> useful_parts(std::size_t count, std::size_t most) {
  light_vector<std::size_t> made;
  for (std::size_t parts = 1; parts <= algorithms::min(count, most); ++parts) {
    if (parts == 1 || divided_up(count, parts) != divided_up(count, parts - 1)) made.push_back(parts);
  }
  return made;
}

}  // namespace impl

}  // namespace ipuflow::ipu
