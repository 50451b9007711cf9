// SPDX-License-Identifier: BSL-1.0
// A copy, cut into fragments that lie in one piece on one tile at both ends, and what it costs: within a tile, between
// tiles of a chip (equal fragments for several tiles leave their tile once), and between chips.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/exchange.hpp>
#include <ipuflow/ipu/exchange/exchange_pattern.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace impl {

/// A run of one variable and where it goes: to one place, or the same to several.
struct fragment {
  std::size_t from = 0;  // variable
  std::size_t to = 0;
  placed_run source;
  std::vector<placed_run> targets;  // each of the source's length
};

constexpr bool follows(const placed_run& a, const placed_run& b) {
  return a.tile == b.tile && a.local + a.length == b.local;
}

/// Puts `next` at the end of `last` if it continues it at every place.
template <class = void>
inline bool joined(fragment& last, const fragment& next) {
  if (last.from != next.from || last.to != next.to || last.targets.size() != next.targets.size()) return false;
  if (!follows(last.source, next.source)) return false;
  for (std::size_t t = 0; t < last.targets.size(); ++t) {
    if (!follows(last.targets[t], next.targets[t])) return false;
  }
  last.source.length += next.source.length;
  for (placed_run& t : last.targets) t.length = last.source.length;
  return true;
}

/// Calls `visit(fragment)` for each fragment of a copy, piece by piece, as long as they come.
template <class Visit>
void for_each_fragment(const graph& g, const copy& copied, Visit&& visit) {
  fragment last;
  fragment next;
  for (const copy_piece& piece : copied.pieces) {
    const variable& from = g[piece.from.variable];
    const variable& to = g[piece.to.variable];
    next.from = piece.from.variable.index;
    next.to = piece.to.variable.index;
    for (std::size_t run = 0; run < piece.count; ++run) {
      for (std::size_t done = 0; done < piece.length;) {
        next.source = from.at(piece.from.begin + run * piece.from.step + done, piece.length - done);
        next.targets.clear();
        for (std::size_t c = 0; c < piece.copies; ++c) {
          next.targets.push_back(
              to.at(piece.to.begin + run * piece.to.step + c * piece.copy_step + done, next.source.length));
          next.source.length = std::min(next.source.length, next.targets.back().length);
        }
        for (placed_run& t : next.targets) t.length = next.source.length;
        done += next.source.length;
        if (joined(last, next)) continue;
        if (!last.targets.empty()) visit(last);
        last = next;
      }
    }
  }
  if (!last.targets.empty()) visit(last);
}

/// The cost of a copy on one chip, and the bytes that it leaves there.
struct chip_copy {
  cycles local;  // copies within tiles, the slowest tile
  cycles exchange;
  std::uint64_t exchanged = 0;
};

struct copy_cost {
  flat_map<std::size_t, chip_copy> chips;
  std::vector<chip_transfer> transfers;
  std::size_t code_from = 0;              // tile
  std::vector<std::uint32_t> code_bytes;  // exchange code of each tile from there on; empty if nothing is exchanged
};

/// Words of one tile for others; equal words in two sends leave once.
struct tile_send {
  std::uint32_t variable, local, length, tile, size;
  std::uint32_t first_receiver, receivers;

  constexpr bool same_words(const tile_send& other) const {
    return variable == other.variable && local == other.local && length == other.length && tile == other.tile;
  }
  /// The order of sends of one tile.
  constexpr bool before(const tile_send& other) const {
    if (variable != other.variable) return variable < other.variable;
    if (local != other.local) return local < other.local;
    return length != other.length ? length < other.length : first_receiver < other.first_receiver;
  }
};

/// The sends of an exchange on one chip; tiles are counted on that chip.
struct chip_sends {
  std::vector<tile_send> sends;
  std::vector<std::uint32_t> receivers;

  /// Calls `visit(tile, bytes, receivers)` for every run of words that is sent, tile by tile, with the tiles that take it, in
  /// ascending order.
  template <class Visit>
  void for_each(Visit&& visit) {
    sort();
    std::vector<std::size_t> to;
    for (std::size_t i = 0; i < sends.size();) {
      to.clear();
      std::size_t end = i;
      for (; end < sends.size() && sends[end].same_words(sends[i]); ++end) {
        const auto first = receivers.begin() + static_cast<std::ptrdiff_t>(sends[end].first_receiver);
        to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(sends[end].receivers));
      }
      if (to.size() > 1) std::sort(to.begin(), to.end());
      visit(std::size_t{sends[i].tile}, std::size_t{sends[i].size}, to);
      i = end;
    }
  }

 private:
  /// There are millions at times, and those of a tile mostly come in order: so they are dealt out to their tiles first.
  void sort() {
    std::vector<std::size_t> begin;
    for (const tile_send& s : sends) {
      if (s.tile + 2 > begin.size()) begin.resize(s.tile + 2, 0);
      ++begin[s.tile + 1];
    }
    for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
    std::vector<tile_send> dealt(sends.size());
    std::vector<std::size_t> next = begin;
    for (const tile_send& s : sends) dealt[next[s.tile]++] = s;
    const auto before = [](const tile_send& a, const tile_send& b) { return a.before(b); };
    for (std::size_t t = 1; t < begin.size(); ++t) {
      const auto first = dealt.begin() + static_cast<std::ptrdiff_t>(begin[t - 1]);
      const auto last = dealt.begin() + static_cast<std::ptrdiff_t>(begin[t]);
      if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
    }
    sends = std::move(dealt);
  }
};

/// The pieces that a copy moves, sorted by the way that they take.
struct copy_moves {
  flat_map<std::size_t, chip_sends> exchanges;                           // by chip
  flat_map<std::size_t, std::uint64_t> local;                  // bytes that stay on each tile
  flat_map<std::pair<std::size_t, std::size_t>, std::uint64_t> between;  // bytes from chip to chip
};

template <class = void>
inline copy_moves moves_of_copy(const graph& g, const copy& copied) {
  const std::size_t per_chip = g.chip().tiles;
  copy_moves made;
  for_each_fragment(g, copied, [&](const fragment& f) {
    const std::size_t size = f.source.length * size_of(g.variables()[f.from].type());
    const std::size_t chip = f.source.tile / per_chip;
    chip_sends* here = nullptr;
    std::size_t first = 0;
    for (const placed_run& t : f.targets) {
      if (t.tile == f.source.tile)
        made.local[t.tile] += size;
      else if (t.tile / per_chip != chip)
        made.between[{chip, t.tile / per_chip}] += size;
      else {
        if (here == nullptr) {
          here = &made.exchanges[chip];
          first = here->receivers.size();
        }
        here->receivers.push_back(static_cast<std::uint32_t>(t.tile % per_chip));
      }
    }
    if (here != nullptr) {
      const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
      here->sends.push_back({number(f.from), number(f.source.local), number(f.source.length), number(f.source.tile % per_chip),
                             number(size), number(first), number(here->receivers.size() - first)});
    }
  });
  return made;
}

/// The cost of a copy, from the fragments that it is cut into.
template <class = void>
inline copy_cost cost_of_copy(const graph& g, const copy& copied) {
  const std::size_t per_chip = g.chip().tiles;
  copy_moves moves = moves_of_copy(g, copied);
  copy_cost made;
  for (const auto& [tile, size] : moves.local) {
    const cycles time = alone(local_copy_cost(g.chip(), {size}), g.chip());
    chip_copy& chip = made.chips[tile / per_chip];
    chip.local = std::max(chip.local, time);
  }
  if (!moves.exchanges.empty()) {
    made.code_from = moves.exchanges.begin()->first * per_chip;
    made.code_bytes.assign((moves.exchanges.back().first + 1) * per_chip - made.code_from, 0);
  }
  for (auto& [chip, sends] : moves.exchanges) {
    exchange_load load(per_chip, g.chip().tiles_per_bus);
    sends.for_each([&, base = chip * per_chip - made.code_from](std::size_t tile, std::size_t size,
                                                                const std::vector<std::size_t>& to) {
      for (const std::size_t t : to) made.code_bytes[base + t] += 8;
      made.code_bytes[base + tile] += 4;
      load.send(tile, to, size);
    });
    made.chips[chip].exchange = exchange_time(load, g.chip());
    made.chips[chip].exchanged = load.total();
  }
  for (const auto& [ends, size] : moves.between) made.transfers.push_back({ends.first, ends.second, {size}});
  return made;
}

/// The exchange of a copy on one chip as messages of words, for `schedule_exchange`.
template <class = void>
inline exchange_pattern pattern_of_copy(const graph& g, const copy& copied, std::size_t chip = 0) {
  exchange_pattern made(g.chip().tiles);
  moves_of_copy(g, copied).exchanges[chip].for_each(
      [&](std::size_t tile, std::size_t size, const std::vector<std::size_t>& to) {
        made.add(tile, to, divided_up(size, g.chip().exchange_width));
      });
  return made;
}

}  // namespace impl

}  // namespace ipuflow::ipu
