// SPDX-License-Identifier: BSL-1.0
// The sends of an exchange on one chip, and where their words land. Equal words leave their tile once for all that take
// them, and what goes on with the next words of a variable, for the same tiles, is one message. Runs that do not fill words
// leave in the words that they touch.
#pragma once

#include <ipuflow/ipu/cost/rearrangement.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace impl {

/// A run of one tile's part of a variable, and its receivers.
struct tile_send {
  std::uint32_t variable, local, length, tile;
  std::uint32_t element;  // bytes of one
  std::uint32_t first_receiver, receivers;
  std::uint32_t to = 0;  // variable at its receivers

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

/// A tile that takes the words of a send, and their place in what it holds of the variable.
struct landing {
  std::uint32_t tile, local;
};

/// Calls `visit(first, last)` with pointers to the items of each tile below `tiles`, in the order in which they stood. There
/// are millions at times.
template <class Item, class Tile, class Visit>
void deal_out(std::vector<Item>& items, Tile&& tile_of, Visit&& visit) {
  std::vector<std::size_t> begin;
  bool dealt = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t t = tile_of(items[i]);
    if (t + 2 > begin.size()) begin.resize(t + 2, 0);
    ++begin[t + 1];
    dealt = dealt && (i == 0 || tile_of(items[i - 1]) <= t);
  }
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  if (!dealt) {
    std::vector<Item> sorted(items.size());
    std::vector<std::size_t> next = begin;
    for (const Item& i : items) sorted[next[tile_of(i)]++] = i;
    items = std::move(sorted);
  }
  for (std::size_t t = 1; t < begin.size(); ++t) {
    if (begin[t - 1] < begin[t]) visit(items.data() + begin[t - 1], items.data() + begin[t]);
  }
}

/// Sorts what mostly is in order.
template <class Item, class Before>
void put_in_order(Item* first, Item* last, Before&& before) {
  if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
}

/// The sends of an exchange on one chip; tiles are counted on that chip.
struct chip_sends {
  std::vector<tile_send> sends;
  std::vector<landing> landings;

  /// Calls `visit(tile, words, receivers)` for every message, tile by tile, with the tiles that take it in ascending order. A
  /// tile that wants words at two places gets them twice.
  template <class Visit>
  void for_each(Visit&& visit) {
    std::vector<std::size_t> to, next, again;
    const auto message = [&](const tile_send& from, std::size_t end) {
      const std::size_t begin = std::size_t{from.local} * from.element;
      while (!to.empty()) {
        again.clear();
        for (std::size_t i = 1; i < to.size(); ++i) {
          if (to[i] == to[i - 1]) again.push_back(to[i]);
        }
        if (!again.empty()) to.erase(std::unique(to.begin(), to.end()), to.end());
        visit(std::size_t{from.tile}, divided_up(end * from.element, word) - begin / word, to);
        std::swap(to, again);
      }
    };
    const auto before = [](const tile_send& a, const tile_send& b) { return a.before(b); };
    deal_out(sends, [](const tile_send& s) { return s.tile; }, [&](tile_send* first, tile_send* last) {
      put_in_order(first, last, before);
      const tile_send* open = nullptr;  // the message that the last sends are of
      std::size_t end = 0;              // of its elements
      for (const tile_send* s = first; s != last;) {
        const tile_send* same = s;
        next.clear();
        for (; same != last && same->same_words(*s); ++same) {
          for (std::size_t r = 0; r < same->receivers; ++r) next.push_back(landings[same->first_receiver + r].tile);
        }
        if (next.size() > 1) std::sort(next.begin(), next.end());
        const bool goes_on = open != nullptr && open->variable == s->variable && end == s->local && next == to;
        if (!goes_on) {
          if (open != nullptr) message(*open, end);
          open = s;
          to = next;
        }
        end = s->local + s->length;
        s = same;
      }
      message(*open, end);
    });
  }
};

}  // namespace impl

}  // namespace ipuflow::ipu
