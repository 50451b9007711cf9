// SPDX-License-Identifier: BSL-1.0
// An explicit, conflict-free timetable of an exchange: which word leaves which tile in which cycle. For messages with
// one receiver it is an edge colouring of the bipartite multigraph of senders and receivers, and so exactly as long as
// the busiest tile needs (König). It is found run by run: pad the graph until it is regular, take a perfect matching,
// keep it for as many cycles as its thinnest edge has words, repair it, go on. Matchings come from random walks with
// last exits kept (Goel, Kapralov and Khanna: O(n log n) each in a regular graph). Multicasts: see `schedule_exchange`.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/exchange/exchange_pattern.hpp>
#include <ipuflow/ipu/exchange/word_packing.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// Words of one message that one sender puts on its bus in cycles [slot, slot + words), for some of its receivers.
struct word_run {
  std::size_t message = 0;
  std::size_t first_word = 0;
  std::size_t slot = 0;
  std::size_t words = 0;
  std::size_t first_receiver = 0;  // into the message's receivers
  std::size_t receiver_count = 0;
};

}  // namespace impl

struct exchange_schedule {
  std::size_t length = 0;  // cycles
  light_vector<impl::word_run> runs;

  /// Bytes of exchange code that the busiest tile holds: an instruction to send a run, two to receive it (whom to
  /// listen to, where to put it), a synchronisation and a return.
  [[nodiscard]] std::size_t code_bytes(const exchange_pattern& pattern) const {
    light_vector<std::size_t> instructions(pattern.tiles(), 0);
    for (const impl::word_run& run : runs) {
      ++instructions[pattern[run.message].from];
      for (const std::size_t to : pattern.receivers(run.message).subspan(run.first_receiver, run.receiver_count)) {
        instructions[to] += 2;
      }
    }
    const std::size_t most = instructions.empty() ? 0 : *algorithms::max_element(instructions.begin(), instructions.end());
    return most == 0 ? 0 : 4 * (most + 2);
  }
};

enum class exchange_wrong : unsigned char { nothing, sends_twice, receives_twice, too_long, missing, no_such_tile };
using exchange_fault = fault<exchange_wrong, std::size_t>;

/// `where` is the tile.
template <class = void>
constexpr const char* wording(exchange_wrong wrong) {
  switch (wrong) {
    case exchange_wrong::nothing:
      break;
    case exchange_wrong::sends_twice:
      return "ipuflow: tile {where} sends two words in cycle {got} of an exchange; move one run";
    case exchange_wrong::receives_twice:
      return "ipuflow: tile {where} receives two words in cycle {got} of an exchange; move one run";
    case exchange_wrong::too_long:
      return "ipuflow: tile {where} is still busy in cycle {got} of an exchange that ends after {limit}; lengthen the schedule";
    case exchange_wrong::missing:
      return "ipuflow: tile {where} gets {got} word{s} of a message of {limit}; deliver each word exactly once";
    case exchange_wrong::no_such_tile:
      return "ipuflow: message {got} of an exchange goes from or to tile {where} of {limit}; use tiles below that";
  }
  return "";
}

constexpr message_text sentence(const exchange_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

/// The first message of a tile that there is not.
template <class = void>
inline exchange_fault verify(const exchange_pattern& pattern) {
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    std::size_t last = pattern[m].from;
    for (const std::size_t tile : pattern.receivers(m)) last = algorithms::max(last, tile);
    if (last >= pattern.tiles()) return {exchange_wrong::no_such_tile, m, pattern.tiles(), last};
  }
  return {};
}

/// The fault of a schedule, checked word by word: every word has to arrive exactly once, and no tile may send or receive two in a
/// cycle.
template <class = void>
inline exchange_fault verify(const exchange_pattern& pattern, const exchange_schedule& schedule) {
  const std::size_t slots = schedule.length;
  light_vector<bool> sends(pattern.tiles() * slots, false);
  light_vector<bool> receives(pattern.tiles() * slots, false);
  light_vector<std::size_t> arrived(pattern.receiver_total(), 0);  // words of each message at each of its receivers
  light_vector<bool> word_arrived(pattern.word_total(), false);
  for (const impl::word_run& run : schedule.runs) {
    const auto& message = pattern[run.message];
    const auto to = pattern.receivers(run.message);
    if (run.slot + run.words > slots) return {exchange_wrong::too_long, run.slot + run.words, slots, message.from};
    for (std::size_t w = 0; w < run.words; ++w) {
      if (sends[message.from * slots + run.slot + w])
        return {exchange_wrong::sends_twice, run.slot + w, slots, message.from};
      sends[message.from * slots + run.slot + w] = true;
      for (std::size_t r = run.first_receiver; r < run.first_receiver + run.receiver_count; ++r) {
        if (receives[to[r] * slots + run.slot + w]) return {exchange_wrong::receives_twice, run.slot + w, slots, to[r]};
        receives[to[r] * slots + run.slot + w] = true;
        const std::size_t word = message.first_delivery + r * message.words + run.first_word + w;
        if (run.first_word + w >= message.words || word_arrived[word]) {
          return {exchange_wrong::missing, message.words + 1, message.words, to[r]};
        }
        word_arrived[word] = true;
        ++arrived[message.first_receiver + r];
      }
    }
  }
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    for (std::size_t r = 0; r < pattern[m].receiver_count; ++r) {
      const std::size_t got = arrived[pattern[m].first_receiver + r];
      if (got != pattern[m].words) return {exchange_wrong::missing, got, pattern[m].words, pattern.receivers(m)[r]};
    }
  }
  return {};
}

namespace impl {

/// Splits multicasts into single messages, cheapest first, while no sender gets busier than the bound. What stays whole
/// is marked true.
template <class = void>
inline light_vector<bool> kept_whole(const exchange_pattern& pattern, std::size_t bound) {
  light_vector<std::size_t> sent(pattern.tiles(), 0);
  light_vector<std::size_t> many;
  light_vector<bool> whole(pattern.size(), false);
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    sent[pattern[m].from] += pattern[m].words;
    if (pattern[m].receiver_count > 1) many.push_back(m);
  }
  const auto extra = [&](std::size_t m) { return pattern[m].words * (pattern[m].receiver_count - 1); };
  algorithms::sort(many.begin(), many.end(), [&](std::size_t a, std::size_t b) { return extra(a) < extra(b); });
  for (const std::size_t m : many) {
    const std::size_t from = pattern[m].from;
    if (sent[from] + extra(m) <= bound)
      sent[from] += extra(m);
    else
      whole[m] = true;
  }
  return whole;
}

/// Part of a message for one of its receivers.
struct single_words {
  std::size_t from, to, message, receiver, words, handed = 0;

  [[nodiscard]] std::size_t left() const { return words - handed; }
};

/// Puts words for one receiver each into a layer of `length` cycles wherever sender and receiver have cycles left
/// there, those first whose ends have most to do.
template <class = void>
inline void fill_layer(word_matching& layer, std::size_t length, light_vector<std::size_t>& sent,
                       light_vector<std::size_t>& received, light_vector<single_words>& singles) {
  light_vector<std::size_t> out(sent.size(), 0);
  light_vector<std::size_t> in(received.size(), 0);
  for (const single_words& s : singles) {
    out[s.from] += s.left();
    in[s.to] += s.left();
  }
  const auto urgency = [&](const single_words& s) { return algorithms::max(out[s.from], in[s.to]); };
  algorithms::sort(singles.begin(), singles.end(), [&](const single_words& a, const single_words& b) {
    if (urgency(a) != urgency(b)) return urgency(a) > urgency(b);
    return a.message != b.message ? a.message < b.message : a.receiver < b.receiver;
  });
  for (single_words& s : singles) {
    const std::size_t words = algorithms::min(s.left(), length - sent[s.from], length - received[s.to]);
    if (words == 0) continue;
    layer.add(s.from, sent.size() + s.to, words, s.message, s.receiver, 1, s.handed);
    s.handed += words;
    sent[s.from] += words;
    received[s.to] += words;
  }
}

/// Layer after layer of multicasts that are `whole`; the others, split, where there is room, and then by themselves.
template <class = void>
[[nodiscard]] inline exchange_schedule layered_schedule(const exchange_pattern& pattern, const light_vector<bool>& whole,
                                                        const light_vector<multicast_layer>& layers) {
  exchange_schedule made;
  light_vector<single_words> singles;
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    for (std::size_t r = 0; !whole[m] && r < pattern[m].receiver_count; ++r) {
      singles.push_back({pattern[m].from, pattern.receivers(m)[r], m, r, pattern[m].words});
    }
  }
  const auto colour = [&](word_matching& matching) {
    const std::size_t before = made.length;
    made.length += matching.colour([&](const matched_run& run) {
      made.runs.push_back(
          {run.message, run.first_word, before + run.slot, run.words, run.first_receiver, run.receiver_count});
    });
  };
  const std::size_t tiles = pattern.tiles();
  for (const multicast_layer& layer : layers) {
    word_matching matching(tiles, 2 * tiles);  // groups, then tiles that are in none
    light_vector<std::size_t> sent(tiles, 0);
    light_vector<std::size_t> of_group(layer.groups, 0);
    for (const auto& [m, group] : layer.messages) {
      matching.add(pattern[m].from, group, pattern[m].words, m, 0, pattern[m].receiver_count);
      sent[pattern[m].from] += pattern[m].words;
      of_group[group] += pattern[m].words;
    }
    const std::size_t length =
        algorithms::max(*algorithms::max_element(sent.begin(), sent.end()), *algorithms::max_element(of_group.begin(), of_group.end()));
    light_vector<std::size_t> received(tiles, 0);
    for (const auto& [m, group] : layer.messages) {
      for (const std::size_t to : pattern.receivers(m)) received[to] = length;
    }
    fill_layer(matching, length, sent, received, singles);
    colour(matching);
  }
  word_matching rest(tiles, tiles);
  for (const single_words& s : singles) {
    if (s.left() > 0) rest.add(s.from, s.to, s.left(), s.message, s.receiver, 1, s.handed);
  }
  colour(rest);
  return made;
}

/// The most urgent words first; no runs if that would take long. In parts, a sender with little to send sends its messages to a
/// part of their receivers at a time, because small sets meet seldom: as often as takes half of what it has left.
template <class = void>
[[nodiscard]] inline exchange_schedule packed_schedule(const exchange_pattern& pattern, std::size_t bound, bool in_parts) {
  constexpr std::size_t most_work = 2'000'000'000;
  exchange_schedule made;
  if (pattern.receiver_total() * bound > most_work) return made;
  light_vector<std::size_t> sent(pattern.tiles(), 0);
  for (std::size_t m = 0; m < pattern.size(); ++m) sent[pattern[m].from] += pattern[m].words;
  word_packing packing(pattern.tiles());
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    const auto to = pattern.receivers(m);
    const std::size_t parts = in_parts ? algorithms::clamp<std::size_t>(bound / sent[pattern[m].from] / 2, 1, to.size()) : 1;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t begin = p * to.size() / parts;
      packing.add(pattern[m].from, to.subspan(begin, (p + 1) * to.size() / parts - begin), pattern[m].words, m, begin);
    }
  }
  made.length = packing.pack([&](const matched_run& run) {
    made.runs.push_back({run.message, run.first_word, run.slot, run.words, run.first_receiver, run.receiver_count});
  });
  return made;
}

/// The shorter of both: tiles that all send to each other are best served one after the other, whole.
template <class = void>
[[nodiscard]] inline exchange_schedule packed_schedule(const exchange_pattern& pattern, std::size_t bound) {
  exchange_schedule parts = packed_schedule(pattern, bound, true);
  if (parts.runs.empty() || parts.length == bound) return parts;
  exchange_schedule whole = packed_schedule(pattern, bound, false);
  return whole.length < parts.length ? whole : parts;
}

}  // namespace impl

/// A conflict-free schedule. Its length is `lower_bound(pattern)` if every message has one receiver, and for multicasts
/// that can be split within the bound or go to sets of tiles that are equal or disjoint. Multicasts to overlapping sets
/// are packed, too, and the shorter schedule is taken: mostly as short as the bound, not proven to be the shortest.
template <class = void>
[[nodiscard]] inline exchange_schedule schedule_exchange(const exchange_pattern& pattern) {
  throw_if(verify(pattern));
  const std::size_t bound = impl::lower_bound(pattern);
  const light_vector<bool> whole = impl::kept_whole(pattern, bound);
  const light_vector<impl::multicast_layer> layers = impl::layers_of(pattern, whole);
  exchange_schedule packed;
  if (layers.size() > 1) packed = impl::packed_schedule(pattern, bound);
  if (packed.length == bound) return packed;
  exchange_schedule layered = impl::layered_schedule(pattern, whole, layers);
  if (layers.size() == 1 && layered.length > bound) packed = impl::packed_schedule(pattern, bound);
  return !packed.runs.empty() && packed.length < layered.length ? packed : layered;
}

}  // namespace ipuflow::ipu
