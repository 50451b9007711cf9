// SPDX-License-Identifier: BSL-1.0
// The sends of an exchange on one chip, and where their words land. Words leave their tile once for all that take
// them, and what goes on with the next words of a variable, for the same tiles, is one message. Runs that do not fill words
// leave in the words that they touch. Adjacent words of a tile are a stream, for all their receivers.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/radix_sort.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/cost/rearrangement.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// A run of one tile's part of a variable, and its receivers.
struct tile_send {
  std::uint32_t variable, local, length, tile;
  std::uint32_t first_receiver, receivers;
  std::uint32_t to = 0;       // variable at its receivers
  std::uint16_t element = 0;  // bytes of one
  bool in_pairs = false;      // as the piece of the copy

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

/// One receive of a tile.
struct received {
  std::uint32_t variable, local, length, send;
};

/// A send on its tile: what is sorted and gone through of it.
struct leaving_run {
  std::uint64_t place;  // its variable, and where it begins in what the tile holds of that
  std::uint32_t length, first_receiver, receivers, element;

  leaving_run() = default;
  explicit leaving_run(const tile_send& s)
      : place{std::uint64_t{s.variable} << 32 | s.local}, length{s.length}, first_receiver{s.first_receiver}, receivers{s.receivers}, element{s.element} {}

  [[nodiscard]] std::uint32_t variable() const { return static_cast<std::uint32_t>(place >> 32); }
  [[nodiscard]] std::uint32_t local() const { return static_cast<std::uint32_t>(place); }
  [[nodiscard]] bool same_words(const leaving_run& other) const { return place == other.place && length == other.length; }
};

/// Sorts what mostly is in order.
template <class Item, class Before>
void put_in_order(Item* first, Item* last, Before&& before) {
  if (!algorithms::is_sorted(first, last, before)) algorithms::sort(first, last, before);
}
template <class = void>
inline void put_in_order(leaving_run* first, leaving_run* last, light_vector<leaving_run>& spare) {
  if (algorithms::is_sorted(first, last, [](const leaving_run& a, const leaving_run& b) { return a.place < b.place; })) return;
  spare.resize(algorithms::max(spare.size(), static_cast<std::size_t>(last - first)));
  algorithms::radix_sort(first, last, spare.data(), [](const leaving_run& r) { return r.place; });
}

/// The sends of an exchange on one chip; tiles are counted on that chip. There are millions at times, so one that has been counted is
/// cleared and used again.
struct chip_sends {
  light_vector<tile_send> sends;
  light_vector<landing> landings;
  light_vector<leaving_run> leaving{};  // in between: `sends`, tile by tile
  light_vector<received> arriving{};    // and `landings`

  void clear() { sends.clear(), landings.clear(); }

  /// Calls `visit(tile, words, receivers)` for every message, tile by tile, with the tiles that take it in ascending order. A
  /// tile that wants words at two places gets them twice. Words of several runs leave once for all that listen to them, whatever else these
  /// take. Calls `sent(tile, words)` for every stream, which one instruction begins: it names no receivers [C600].
  template <class Visit, class Sent>
  void for_each(Visit&& visit, Sent&& sent) {
    light_vector<std::size_t> next;
    light_vector<leaving_run> spare;
    overlapping<Visit, Sent> open{visit, sent};
    deal_out([&](std::size_t tile, leaving_run* first, leaving_run* last) {
      put_in_order(first, last, spare);
      open.begin(tile);
      for (const leaving_run* s = first; s != last;) {
        const leaving_run* same = s;
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
  /// Calls `visit(tile, first, last)` for the sends of each tile, in the order in which they stand.
  template <class Visit>
  void deal_out(Visit&& visit) {
    light_vector<std::size_t> end(1, 0);
    for (const tile_send& s : sends) {
      if (s.tile + std::size_t{2} > end.size()) end.resize(s.tile + std::size_t{2}, 0);
      ++end[s.tile + 1];
    }
    for (std::size_t t = 1; t < end.size(); ++t) end[t] += end[t - 1];
    leaving.resize(sends.size());
    for (const tile_send& s : sends) leaving[end[s.tile]++] = leaving_run{s};
    leaving_run* first = leaving.data();
    for (std::size_t t = 0; t + 1 < end.size(); ++t) {
      leaving_run* const last = leaving.data() + end[t];
      if (first != last) visit(t, first, last);
      first = last;
    }
  }

  /// Runs of one tile that share elements, in the order of their places: cut into words where one of them begins or ends.
  template <class Visit, class Sent>
  class overlapping {
   public:
    overlapping(Visit& visit, Sent& sent) : visit_{visit}, sent_{sent} {}

    void begin(std::size_t tile) { tile_ = tile; }

    void add(const leaving_run& s, const light_vector<std::size_t>& to) {
      const std::size_t local = s.local();
      if (!runs_.empty()) {
        run& last = runs_.back();
        if (variable_ == s.variable() && last.end == local && algorithms::equal(to.begin(), to.end(), to_.begin() + last.first, to_.end())) {
          last.end = local + s.length;
          end_ = algorithms::max(end_, last.end);
          return;
        }
        if (variable_ != s.variable() || local >= end_) close();
      }
      variable_ = s.variable(), element_ = s.element;
      runs_.push_back({local, local + s.length, static_cast<std::ptrdiff_t>(to_.size())});
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
      if (stream_end_ > stream_begin_) sent_(tile_, stream_end_ - stream_begin_);
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
        visit_(tile_, words, to);
        if (again) sent_(tile_, words);
        algorithms::swap(to, more_);
      }
    }

    Visit& visit_;
    Sent& sent_;
    std::size_t tile_ = 0;
    std::uint32_t variable_ = 0, streamed_ = 0;
    std::size_t element_ = word, end_ = 0, words_ = 0;    // end: one past the last element; words: not yet sent
    std::size_t stream_begin_ = 0, stream_end_ = 0;       // words of variable `streamed_`
    light_vector<run> runs_{};
    light_vector<std::size_t> to_{}, cuts_{}, open_{}, now_{}, then_{}, more_{};
  };
};

}  // namespace impl

}  // namespace ipuflow::ipu
