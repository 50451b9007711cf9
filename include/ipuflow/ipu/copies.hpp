// SPDX-License-Identifier: BSL-1.0
// A copy, cut into fragments that lie in one piece on one tile at both ends, and what it costs: within a tile, between tiles
// of a chip (equal fragments for several tiles leave their tile once), and between chips.
#pragma once

#include <ipuflow/ipu/elementwise_cost.hpp>
#include <ipuflow/ipu/exchange.hpp>
#include <ipuflow/ipu/exchange_pattern.hpp>
#include <ipuflow/ipu/graph.hpp>
#include <ipuflow/ipu/chip_system.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

struct fragment {
  std::size_t from = 0;  // variable
  std::size_t to = 0;
  placed_run source;
  placed_run target;     // of the same length
};

/// Calls `visit(fragment)` for each fragment of a copy, piece by piece.
template <class Visit>
void for_each_fragment(const graph& g, const step& copied, Visit&& visit) {
  for (const copy_piece& piece : copied.pieces) {
    const variable& from = g[piece.from];
    const variable& to = g[piece.to];
    for (std::size_t run = 0; run < piece.count; ++run) {
      std::size_t source = piece.from_begin + run * piece.from_step;
      std::size_t target = piece.to_begin + run * piece.to_step;
      for (std::size_t left = piece.length; left > 0;) {
        placed_run a = from.at(source, left);
        placed_run b = to.at(target, left);
        a.length = b.length = std::min(a.length, b.length);
        visit(fragment{piece.from.index, piece.to.index, a, b});
        source += a.length;
        target += a.length;
        left -= a.length;
      }
    }
  }
}

/// What a copy costs on one chip, and what it leaves there.
struct chip_copy {
  cycles local;      // copies within tiles, the slowest tile
  cycles exchange;
  std::uint64_t exchanged = 0;
};

struct copy_cost {
  std::map<std::size_t, chip_copy> chips;
  std::vector<chip_transfer> transfers;
  std::vector<std::uint32_t> code_bytes;  // exchange code of each tile; empty if nothing is exchanged
};

namespace detail {

/// Fragments that are the same words of the same tile, so that one send serves all.
struct send {
  std::size_t variable, local, length, tile, size;
  std::size_t to;

  friend constexpr auto operator<=>(const send&, const send&) = default;
  constexpr bool same_words(const send& other) const {
    return variable == other.variable && local == other.local && length == other.length && tile == other.tile;
  }
};

}  // namespace detail

/// Calls `visit(tile, bytes, receivers)` for every run of words that is sent, with the tiles that take it, in ascending order.
template <class Visit>
void for_each_send(std::vector<detail::send>& sends, Visit&& visit) {
  std::sort(sends.begin(), sends.end());
  std::vector<std::size_t> to;
  for (std::size_t i = 0; i < sends.size();) {
    to.clear();
    std::size_t end = i;
    for (; end < sends.size() && sends[end].same_words(sends[i]); ++end) to.push_back(sends[end].to);
    visit(sends[i].tile, sends[i].size, to);
    i = end;
  }
}

/// The cost of a copy, from the fragments that it is cut into.
inline copy_cost cost_of_copy(const graph& g, const step& copied) {
  const std::size_t per_chip = g.chip().tiles;
  std::vector<std::uint64_t> local(g.tiles(), 0);
  std::map<std::size_t, std::vector<detail::send>> sends;  // by chip
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> between;
  for_each_fragment(g, copied, [&](const fragment& f) {
    const std::size_t size = f.source.length * size_of(g[{f.from}].type());
    const std::size_t chip = f.source.tile / per_chip;
    const std::size_t target = f.target.tile / per_chip;
    if (f.source.tile == f.target.tile) local[f.source.tile] += size;
    else if (chip != target) between[{chip, target}] += size;
    else sends[chip].push_back({f.from, f.source.local, f.source.length, f.source.tile, size, f.target.tile});
  });
  copy_cost made;
  for (std::size_t tile = 0; tile < local.size(); ++tile) {
    if (local[tile] == 0) continue;
    const cycles time = alone(local_copy_cost(g.chip(), {local[tile]}), g.chip());
    chip_copy& chip = made.chips[tile / per_chip];
    chip.local = std::max(chip.local, time);
  }
  if (!sends.empty()) made.code_bytes.assign(g.tiles(), 0);
  for (auto& [chip, chip_sends] : sends) {
    exchange_load load(per_chip, g.chip().tiles_per_bus);
    std::vector<std::size_t> to;
    for_each_send(chip_sends, [&, base = chip * per_chip](std::size_t tile, std::size_t size, const std::vector<std::size_t>& tiles) {
      to.clear();
      for (const std::size_t t : tiles) {
        to.push_back(t - base);
        made.code_bytes[t] += 8;
      }
      made.code_bytes[tile] += 4;
      load.send(tile - base, to, size);
    });
    made.chips[chip].exchange = exchange_time(load, g.chip());
    made.chips[chip].exchanged = load.total();
  }
  for (const auto& [ends, size] : between) made.transfers.push_back({ends.first, ends.second, {size}});
  return made;
}

/// The exchange of a copy on one chip as messages of words, for `schedule_exchange`.
inline exchange_pattern pattern_of_copy(const graph& g, const step& copied, std::size_t chip = 0) {
  const std::size_t per_chip = g.chip().tiles;
  std::vector<detail::send> sends;
  for_each_fragment(g, copied, [&](const fragment& f) {
    if (f.source.tile == f.target.tile || f.source.tile / per_chip != chip || f.target.tile / per_chip != chip) return;
    const std::size_t size = f.source.length * size_of(g[{f.from}].type());
    sends.push_back({f.from, f.source.local, f.source.length, f.source.tile % per_chip, size, f.target.tile % per_chip});
  });
  exchange_pattern made(per_chip);
  for_each_send(sends, [&](std::size_t tile, std::size_t size, const std::vector<std::size_t>& to) {
    made.add(tile, to, divided_up(size, g.chip().exchange_width));
  });
  return made;
}

}  // namespace ipuflow::ipu
