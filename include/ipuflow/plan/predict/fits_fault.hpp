// SPDX-License-Identifier: BSL-1.0
// The fault of a prediction that does not fit its chips: the chip whose fullest tile has too little, by how much, and the use that takes
// most there.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/plan/predict/configuration_fault.hpp>
#include <ipuflow/plan/predict/prediction.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

enum class fits_wrong : unsigned char { nothing, out_of_memory, code_region };

/// The chip and its fullest tile.
struct fits_place {
  std::size_t chip = 0;
  std::size_t tile = 0;
  memory_use largest = memory_use::weights;
  std::uint64_t largest_bytes = 0;

  friend constexpr bool operator==(const fits_place&, const fits_place&) = default;
};

/// `got` and `limit` are bytes.
using fits_fault = fault<fits_wrong, fits_place>;

template <class = void>
constexpr const char* wording(fits_wrong wrong) {
  switch (wrong) {
    case fits_wrong::nothing:
      break;
    case fits_wrong::out_of_memory:
      return "ipuflow: chip {chip} of the plan is too small: its tile {tile} needs {got} byte{s} and may have {limit}, {beyond} too few; most are "
             "{largest}, {largest_bytes}: ask plan::advise, or --advise of the command, what would help";
    case fits_wrong::code_region:
      return "ipuflow: the code on tile {tile} of chip {chip} of the plan takes {got} byte{s} but its region has {limit}; most is {largest}: cut the "
             "network into more stages";
  }
  return "";
}

constexpr message_text sentence(const fits_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"chip", f.where.chip}, {"tile", f.where.tile}, {"beyond", f.got - f.limit},
                 {"largest", name_of(f.where.largest)}, {"largest_bytes", f.where.largest_bytes}});
}

/// The first chip on which a plan does not fit; `headroom` of each tile's memory is kept free. Throws if that is no share of it.
template <class = void>
[[nodiscard]] constexpr fits_fault verify_fits(const prediction& p, double headroom = 0.05) {
  throw_if(verify_headroom(headroom));
  const auto limit = proportion_of(p.tile_memory, 1 - headroom).value;
  for (std::size_t chip = 0; chip < p.memory.size(); ++chip) {
    const chip_memory& tiles = p.memory[chip];
    const bool elsewhere = tiles.most_code.code() > tiles.bytes.code();  // than on the fullest tile
    const bool code = (elsewhere ? tiles.most_code : tiles.bytes).code() > p.code_region.value;
    if (!code && tiles.bytes.total() <= limit) continue;
    const tile_bytes& needs = code && elsewhere ? tiles.most_code : tiles.bytes;
    fits_place where{.chip = chip, .tile = code && elsewhere ? tiles.code_tile : tiles.tile};
    for (std::size_t u = 0; u < memory_uses; ++u) {
      if (code && u != static_cast<std::size_t>(memory_use::vertex_code) && u != static_cast<std::size_t>(memory_use::exchange_code) &&
          u != static_cast<std::size_t>(memory_use::control_code))
        continue;
      if (needs.by_use[u] > where.largest_bytes) where.largest = static_cast<memory_use>(u), where.largest_bytes = needs.by_use[u];
    }
    if (code) return {fits_wrong::code_region, needs.code(), p.code_region.value, where};
    return {fits_wrong::out_of_memory, needs.total(), limit, where};
  }
  return {};
}

}  // namespace ipuflow::plan
