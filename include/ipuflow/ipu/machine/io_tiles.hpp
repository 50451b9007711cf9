// SPDX-License-Identifier: BSL-1.0
// The number of tiles to set aside for input and output, so that transfers run beside compute: they hold at least one
// micro-batch, about a twentieth of their memory goes to code and buffers, they come in pairs, and fewer than 32 are
// not used. Source: the vendor's optimisation guide (4.4.2), which also advises trying powers of two.
#pragma once

#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <bit>
#include <cstddef>

namespace ipuflow::ipu {

/// The rule of thumb for micro-batches of that size, inputs and outputs together.
[[nodiscard]] constexpr std::size_t io_tiles(const architecture& chip, bytes micro_batch, bool power_of_two = false) {
  const std::size_t needed = divided_up(micro_batch.value * 105, chip.tile_memory.value * 100);
  const std::size_t even = (needed < 32 ? 32 : needed) + needed % 2 * (needed < 32 ? 0 : 1);
  const std::size_t tiles = power_of_two ? std::bit_ceil(even) : even;
  return tiles < chip.tiles ? tiles : chip.tiles;
}

}  // namespace ipuflow::ipu
