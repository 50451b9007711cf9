// SPDX-License-Identifier: BSL-1.0
// The fullest tile of a chip that was counted once, where the values that wait for its stages wait in rings of other depths.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// The fullest tile of a chip, and the one that has most code.
struct chip_memory {
  std::size_t tile = 0;
  tile_bytes bytes{};
  std::size_t code_tile = 0;
  tile_bytes most_code{};

  friend constexpr bool operator==(const chip_memory&, const chip_memory&) = default;
};

/// The fullest tile of a chip if the rings of its stages have these depths.
template <class = void>
[[nodiscard]] chip_memory fullest_tile(const counted_chip& chip, light_span<const ring_depths> depths) {
  struct longer {
    std::int64_t places = 0;  // beyond those that were counted
    const std::uint32_t* slot = nullptr;
    bool is_list = false;
  };
  light_vector<longer> rings;
  for (std::size_t s = 0; s < chip.stages.size(); ++s) {
    for (std::size_t r = 0; r < kinds_of_rings; ++r) {
      const counted_ring& ring = chip.stages[s].rings[r];
      if (!ring.slot.empty() && depths[s][r] != ring.depth)
        rings.push_back({static_cast<std::int64_t>(depths[s][r]) - static_cast<std::int64_t>(ring.depth), ring.slot.data(), r >= kinds_of_values});
    }
  }
  const auto more = [&](std::size_t t, bool lists) {
    std::int64_t sum = 0;
    for (const longer& r : rings) sum += r.is_list == lists ? r.places * static_cast<std::int64_t>(r.slot[t]) : 0;
    return sum;
  };
  std::size_t fullest = 0, code = 0;
  std::int64_t most = 0;
  for (std::size_t t = 0; t < chip.totals.size(); ++t) {
    const std::int64_t all = chip.totals[t] + more(t, false) + more(t, true);
    if (all > most) most = all, fullest = t;
    if (chip.tiles[t].code() > chip.tiles[code].code()) code = t;
  }
  chip_memory made{fullest, chip.tiles[fullest], code, chip.tiles[code]};
  made.bytes[memory_use::stash] += static_cast<std::uint64_t>(more(fullest, false));
  made.bytes[memory_use::vertex_state] += static_cast<std::uint64_t>(more(fullest, true));
  return made;
}

/// The fullest tile of each chip with a stash as deep as the schedule's; all else waits in as many places as were counted.
template <class = void>
[[nodiscard]] light_vector<chip_memory> fullest_tiles(const schedule_steps& steps, light_span<const counted_chip* const> chips) {
  light_vector<light_vector<ring_depths>> depths(chips.size());
  for (std::size_t s = 0; s < steps.stages; ++s) {
    const std::size_t ipus[] = {steps.ipu_of[s], steps.other_ipu_of[s]};
    for (std::size_t i = 0; i < (ipus[0] == ipus[1] ? 1u : 2u); ++i) {
      const counted_stage& stage = chips[ipus[i]]->stages[depths[ipus[i]].size()];
      ring_depths& own = depths[ipus[i]].emplace_back();
      for (std::size_t r = 0; r < kinds_of_rings; ++r) own[r] = stage.rings[r].depth;
      own[static_cast<std::size_t>(ring_of_stage::stash)] = steps.depths[s];
    }
  }
  light_vector<chip_memory> made;
  for (std::size_t chip = 0; chip < chips.size(); ++chip) made.push_back(fullest_tile<>(*chips[chip], depths[chip]));
  return made;
}

}  // namespace ipuflow::plan
