// SPDX-License-Identifier: BSL-1.0
// The sends of an exchange on one chip, and where their words land. Words leave their tile once for all that take
// them, and what goes on with the next words of a variable, for the same tiles, is one message. Runs that do not fill words
// leave in the words that they touch. Adjacent words of a tile are a stream, for all their receivers.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/cost/rearrangement.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// A run of one tile's part of a variable, and its receivers.
struct tile_send {
  std::uint32_t variable, local, length, tile;
  std::uint32_t element;  // bytes of one
  std::uint32_t first_receiver, receivers;
  std::uint32_t to = 0;   // variable at its receivers
  bool in_pairs = false;  // as the piece of the copy

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
void deal_out(light_vector<Item>& items, Tile&& tile_of, Visit&& visit) {
  light_vector<std::size_t> begin;
  bool dealt = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t t = tile_of(items[i]);
    if (t + 2 > begin.size()) begin.resize(t + 2, 0);
    ++begin[t + 1];
    dealt = dealt && (i == 0 || tile_of(items[i - 1]) <= t);
  }
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  if (!dealt) {
    light_vector<Item> sorted(items.size());
    light_vector<std::size_t> next = begin;
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
  if (!algorithms::is_sorted(first, last, before)) algorithms::sort(first, last, before);
}

/// The sends of an exchange on one chip; tiles are counted on that chip.
struct chip_sends {
  light_vector<tile_send> sends;
  light_vector<landing> landings;

  /// Calls `visit(tile, words, receivers)` for every message, tile by tile, with the tiles that take it in ascending order. A
  /// tile that wants words at two places gets them twice. Words of several runs leave once for all that listen to them, whatever else these
  /// take. Calls `sent(tile, words)` for every stream, which one instruction begins: it names no receivers [C600].
  template <class Visit, class Sent>
  void for_each(Visit&& visit, Sent&& sent) {
    light_vector<std::size_t> next;
    overlapping<Visit, Sent> open{visit, sent};
    const auto before = [](const tile_send& a, const tile_send& b) { return a.before(b); };
    deal_out(sends, [](const tile_send& s) { return s.tile; }, [&](tile_send* first, tile_send* last) {
      put_in_order(first, last, before);
      for (const tile_send* s = first; s != last;) {
        const tile_send* same = s;
        next.clear();
        for (; same != last && same->same_words(*s); ++same) {
          for (std::size_t r = 0; r < same->receivers; ++r) next.push_back(landings[same->first_receiver + r].tile);
        }
        if (next.size() > 1) algorithms::sort(next.begin(), next.end());
        open.add(*s, next);
        s = same;
      }
      open.close();
      open.end_stream();
    });
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    for_each(visit, [](std::size_t, std::size_t) {});
  }

 private:
  /// Runs of one tile that share elements, in the order of their places: cut into words where one of them begins or ends.
  template <class Visit, class Sent>
  class overlapping {
   public:
    overlapping(Visit& visit, Sent& sent) : visit_{visit}, sent_{sent} {}

    void add(const tile_send& s, const light_vector<std::size_t>& to) {
      if (!runs_.empty()) {
        run& last = runs_.back();
        if (variable_ == s.variable && last.end == s.local && algorithms::equal(to.begin(), to.end(), to_.begin() + last.first, to_.end())) {
          last.end = s.local + s.length;
          end_ = algorithms::max(end_, last.end);
          return;
        }
        if (variable_ != s.variable || s.local >= end_) close();
      }
      tile_ = s.tile, variable_ = s.variable, element_ = s.element;
      runs_.push_back({s.local, std::size_t{s.local} + s.length, static_cast<std::ptrdiff_t>(to_.size())});
      to_.insert(to_.end(), to.begin(), to.end());
      end_ = algorithms::max(end_, runs_.back().end);
    }

    void close() {
      if (runs_.empty()) return;
      const std::size_t begin = begin_of(runs_[0]);
      if (streamed_ != variable_ || stream_end_ != begin) end_stream(), stream_begin_ = begin, streamed_ = variable_;
      stream_end_ = divided_up(end_ * element_, word);
      if (runs_.size() == 1)
        message(end_of(runs_[0]) - begin_of(runs_[0]), to_);
      else
        cut();
      runs_.clear(), to_.clear(), end_ = 0;
    }

    void end_stream() {
      if (stream_end_ > stream_begin_) sent_(std::size_t{tile_}, stream_end_ - stream_begin_);
      stream_begin_ = stream_end_ = 0;
    }

   private:
    struct run {
      std::size_t begin = 0, end = 0;  // elements
      std::ptrdiff_t first = 0;        // receiver
    };

    std::size_t begin_of(const run& r) const { return r.begin * element_ / word; }
    std::size_t end_of(const run& r) const { return divided_up(r.end * element_, word); }

    void cut() {
      cuts_.clear(), open_.clear(), words_ = 0;
      for (const run& r : runs_) cuts_.push_back(begin_of(r)), cuts_.push_back(end_of(r));
      algorithms::sort(cuts_.begin(), cuts_.end());
      cuts_.erase(algorithms::unique(cuts_.begin(), cuts_.end()), cuts_.end());
      std::size_t next = 0;
      for (std::size_t c = 0; c + 1 < cuts_.size(); ++c) {
        erase_if(open_, [&](std::size_t r) { return end_of(runs_[r]) <= cuts_[c]; });
        for (; next < runs_.size() && begin_of(runs_[next]) <= cuts_[c]; ++next) open_.push_back(next);
        now_.clear();
        for (const std::size_t r : open_) {
          const auto end = r + 1 < runs_.size() ? to_.begin() + runs_[r + 1].first : to_.end();
          now_.insert(now_.end(), to_.begin() + runs_[r].first, end);
        }
        algorithms::sort(now_.begin(), now_.end());
        const std::size_t words = cuts_[c + 1] - cuts_[c];
        if (words == 1 && element_ < word) now_.erase(algorithms::unique(now_.begin(), now_.end()), now_.end());  // two elements of one word
        if (now_ != then_ && words_ > 0) message(words_, then_), words_ = 0;
        then_ = now_, words_ += words;
      }
      message(words_, then_);
    }

    /// Takes the receivers.
    void message(std::size_t words, light_vector<std::size_t>& to) {
      for (bool again = false; !to.empty(); again = true) {
        more_.clear();
        for (std::size_t i = 1; i < to.size(); ++i) {
          if (to[i] == to[i - 1]) more_.push_back(to[i]);
        }
        if (!more_.empty()) to.erase(algorithms::unique(to.begin(), to.end()), to.end());
        visit_(std::size_t{tile_}, words, to);
        if (again) sent_(std::size_t{tile_}, words);
        algorithms::swap(to, more_);
      }
    }

    Visit& visit_;
    Sent& sent_;
    std::uint32_t tile_ = 0, variable_ = 0, streamed_ = 0;
    std::size_t element_ = word, end_ = 0, words_ = 0;    // end: one past the last element; words: not yet sent
    std::size_t stream_begin_ = 0, stream_end_ = 0;       // words of variable `streamed_`
    light_vector<run> runs_{};
    light_vector<std::size_t> to_{}, cuts_{}, open_{}, now_{}, then_{}, more_{};
  };
};

}  // namespace impl

}  // namespace ipuflow::ipu
