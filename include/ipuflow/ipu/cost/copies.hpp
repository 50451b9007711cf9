// SPDX-License-Identifier: BSL-1.0
// A copy, cut into fragments that lie in one piece on one tile at both ends, and what it costs: within a tile, between
// tiles of a chip (equal fragments for several tiles leave their tile once), and between chips.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/exchange.hpp>
#include <ipuflow/ipu/cost/rearrangement.hpp>
#include <ipuflow/ipu/cost/tile_receives.hpp>
#include <ipuflow/ipu/cost/tile_sends.hpp>
#include <ipuflow/ipu/exchange/exchange_pattern.hpp>
#include <ipuflow/ipu/machine/links.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// A run of one variable and where it goes: to one place, or the same to several.
struct fragment {
  std::size_t from = 0;  // variable
  std::size_t to = 0;
  placed_run source;
  light_vector<placed_run> targets;  // each of the source's length
  bool in_pairs = false;             // as its piece
};

constexpr bool follows(const placed_run& a, const placed_run& b) {
  return a.tile == b.tile && a.local + a.length == b.local;
}

/// Puts `next` at the end of `last` if it continues it at every place.
template <class = void>
inline bool joined(fragment& last, const fragment& next) {
  if (last.from != next.from || last.to != next.to || last.in_pairs != next.in_pairs || last.targets.size() != next.targets.size()) return false;
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
  fragment one, other;
  fragment *last = &one, *next = &other;
  std::size_t from_interval = 0, to_interval = 0;  // of the last runs
  for (const copy_piece& piece : copied.pieces) {
    const variable& from = g[piece.from.variable];
    const variable& to = g[piece.to.variable];
    for (std::size_t run = 0; run < piece.count; ++run) {
      for (std::size_t done = 0; done < piece.length;) {
        next->from = piece.from.variable.index;
        next->to = piece.to.variable.index;
        next->in_pairs = piece.in_pairs;
        next->source = from.at(piece.from.begin + run * piece.from.step + done, piece.length - done, from_interval);
        next->targets.clear();
        for (std::size_t c = 0; c < piece.copies; ++c) {
          next->targets.push_back(
              to.at(piece.to.begin + run * piece.to.step + c * piece.copy_step + done, next->source.length, to_interval));
          next->source.length = algorithms::min(next->source.length, next->targets.back().length);
        }
        for (placed_run& t : next->targets) t.length = next->source.length;
        done += next->source.length;
        if (joined(*last, *next)) continue;
        if (!last->targets.empty()) visit(*last);
        algorithms::swap(last, next);
      }
    }
  }
  if (!last->targets.empty()) visit(*last);
}

/// The cost of a copy on one chip, and the bytes that it leaves there.
struct chip_copy {
  cycles local;  // copies within tiles, the slowest tile
  cycles exchange;
  std::uint64_t exchanged = 0;
};

struct copy_cost {
  flat_map<std::size_t, chip_copy> chips;
  light_vector<chip_transfer> transfers;
  std::size_t code_from = 0;              // tile
  light_vector<std::uint32_t> code_bytes;  // exchange code of each tile from there on; empty if nothing is exchanged
};

/// The pieces that a copy moves, sorted by the way that they take.
struct copy_moves {
  flat_map<std::size_t, chip_sends> exchanges;                           // by chip
  flat_map<std::size_t, rearrangement> local;                            // what stays on each tile
  flat_map<light_pair<std::size_t, std::size_t>, std::uint64_t> between;  // bytes from chip to chip
};

/// `room`: sends of a chip that are done with, whose room is used again.
template <class = void>
inline copy_moves moves_of_copy(const graph& g, const copy& copied, chip_sends&& room = {}) {
  const std::size_t per_chip = g.chip().tiles;
  copy_moves made;
  std::size_t chip = 0, first_tile = 0;  // of the last fragment's source
  chip_sends* here = nullptr;
  std::size_t tile = 0;  // of the last run that stayed on its tile
  rearrangement* within = nullptr;
  const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  for_each_fragment(g, copied, [&](const fragment& f) {
    const std::size_t element = size_of(g.variables()[f.from].type());
    const std::size_t size = f.source.length * element;
    if (f.source.tile - first_tile >= per_chip) {
      chip = f.source.tile / per_chip;
      first_tile = chip * per_chip;
      here = nullptr;
    }
    std::size_t receivers = 0;
    for (const placed_run& t : f.targets) {
      if (t.tile == f.source.tile) {
        if (within == nullptr || t.tile != tile) tile = t.tile, within = &made.local[tile];
        if (f.in_pairs)
          within->add_words(size, g.chip().copy_width);
        else
          within->add(f.source.local * element, t.local * element, size, element, g.chip().copy_width);
      } else if (t.tile - first_tile >= per_chip) {
        made.between[{chip, t.tile / per_chip}] += size;
      } else {
        if (here == nullptr) {
          const auto [found, added] = made.exchanges.try_emplace(chip);
          if (added) found->second = std::move(room), found->second.clear();
          here = &found->second;
        }
        here->landings.push_back({number(t.tile - first_tile), number(t.local)});
        ++receivers;
      }
    }
    if (receivers == 0) return;
    here->sends.push_back({number(f.from), number(f.source.local), number(f.source.length), number(f.source.tile - first_tile),
                           number(here->landings.size() - receivers), number(receivers), number(f.to), static_cast<std::uint16_t>(element), f.in_pairs});
  });
  return made;
}

inline constexpr std::size_t words_of_send = 64;  // of an instruction with an address, or with a control for incoming words [C600]
inline constexpr std::size_t words_of_next = 4096;  // of one that goes on [C600]

/// The words of a tile in an exchange, and the receives and streams that they come and leave in.
struct tile_traffic {
  std::uint64_t streams = 0, sent = 0;  // sent: words
  std::uint64_t goes_on = 0, new_place = 0, received = 0;  // receives, and their words

  /// The instructions beside those of the receives. An instruction that sets sender and place has room for an address, so a stream may begin
  /// with it; that of a sender alone goes on with the stream before. Each carries 64 words; for what is left of a receive's time, and of the
  /// time without receives, there is another. The timetable is assumed to let streams begin with receives and sends run beside them.
  [[nodiscard]] constexpr std::uint64_t sends() const {
    const std::uint64_t receives = goes_on + new_place, beside = algorithms::min(sent, received), after = sent - beside;
    std::uint64_t made = streams > new_place ? streams - new_place : 0;
    if (beside > words_of_send * receives) made += divided_up((beside - words_of_send * receives) * receives, received - words_of_send * receives);
    if (after > words_of_send * streams) made += divided_up(after - words_of_send * streams, std::uint64_t{words_of_next});
    return made;
  }
};

inline constexpr std::size_t code_of_phase = 8;  // bytes of an exchange on each tile that takes part [C600]

/// The exchange of a copy on one chip: its time, and its code from `code` on.
template <class = void>
inline void count_exchange(const graph& g, std::size_t chip, chip_sends& sends, chip_copy& made, std::uint32_t* code,
                           flat_map<std::size_t, rearrangement>& moved) {
  const std::size_t tiles = g.chip().tiles;
  light_vector<tile_traffic> traffic(tiles);
  for_each_receiver(g, sends, chip * tiles, [&](std::size_t tile, const tile_receives& r) {
    traffic[tile].goes_on = r.goes_on, traffic[tile].new_place = r.new_place;
    code[tile] += static_cast<std::uint32_t>(r.code());
    if (!r.moved.empty()) moved[chip * tiles + tile] += r.moved;
  });
  exchange_load load(tiles, g.chip().tiles_per_bus);
  sends.for_each([&](std::size_t tile, std::size_t words, const light_vector<std::size_t>& to) { load.send(tile, to, words * word); },
                 [&](std::size_t tile, std::size_t words) { ++traffic[tile].streams, traffic[tile].sent += words; });
  for (std::size_t t = 0; t < tiles; ++t) {
    tile_traffic& here = traffic[t];
    if (here.streams + here.goes_on + here.new_place == 0) continue;
    here.received = load.received(t) / word;
    code[t] += static_cast<std::uint32_t>(control * here.sends() + code_of_phase);
  }
  made.exchange = exchange_time(load, g.chip());
  made.exchanged = load.total();
}

/// The cost of a copy, from the fragments that it is cut into. `room` is used, and kept for the next copy.
template <class = void>
inline copy_cost cost_of_copy(const graph& g, const copy& copied, chip_sends& room) {
  const std::size_t per_chip = g.chip().tiles;
  copy_moves moves = moves_of_copy(g, copied, std::move(room));
  copy_cost made;
  if (!moves.exchanges.empty()) {
    made.code_from = moves.exchanges.begin()->first * per_chip;
    made.code_bytes.assign((moves.exchanges.back().first + 1) * per_chip - made.code_from, 0);
  }
  for (auto& [chip, sends] : moves.exchanges)
    count_exchange(g, chip, sends, made.chips[chip], &made.code_bytes[chip * per_chip - made.code_from], moves.local);
  for (const auto& [tile, moved] : moves.local) {
    chip_copy& chip = made.chips[tile / per_chip];
    chip.local = algorithms::max(chip.local, alone(moved.cost(g.chip()), g.chip()));
  }
  for (const auto& [ends, size] : moves.between) made.transfers.push_back({ends.first, ends.second, {size}});
  if (!moves.exchanges.empty()) room = std::move(moves.exchanges.begin()->second);
  return made;
}
template <class = void>
inline copy_cost cost_of_copy(const graph& g, const copy& copied) {
  chip_sends room;
  return cost_of_copy(g, copied, room);
}

/// The exchange of a copy on one chip as messages of words, for `schedule_exchange`.
template <class = void>
inline exchange_pattern pattern_of_copy(const graph& g, const copy& copied, std::size_t chip = 0) {
  exchange_pattern made(g.chip().tiles);
  moves_of_copy(g, copied).exchanges[chip].for_each(
      [&](std::size_t tile, std::size_t words, const light_vector<std::size_t>& to) { made.add(tile, to, words); });
  return made;
}

}  // namespace impl

}  // namespace ipuflow::ipu
