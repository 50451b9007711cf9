// SPDX-License-Identifier: BSL-1.0
// The receives of an exchange on one chip: which of them go to their place at once, and which to a buffer from which the
// tile rearranges them, with the controls that all of them need. A tile's pointer for incoming words goes on by itself, so
// a receive needs a control of four bytes to choose the sender, and one for the place unless it goes on where the last
// ended. The timetable is assumed to bring a tile's words in the order of their places. Source of controls: [C600].
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/tile_sends.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

inline constexpr std::size_t control = 4;  // bytes of an instruction of exchange code [C600]

/// A shorter run would hold the exchange up, as its receive takes three issue slots and a word comes each cycle
/// [ipu21 planner].
inline constexpr std::size_t words_in_place = 3;

/// The number of places for short runs that need as much code as a vertex of two operands for each worker needs state.
constexpr std::size_t places_worth_a_vertex(const architecture& chip) { return chip.workers * 20 / control; }

struct tile_receives {
  std::uint32_t goes_on = 0;    // receives
  std::uint32_t new_place = 0;  // receives
  rearrangement moved;

  [[nodiscard]] constexpr std::size_t receives() const { return goes_on + new_place; }
  [[nodiscard]] constexpr std::size_t code() const { return control * (goes_on + 2 * new_place); }
};

/// Goes through the receives of one tile, in the order of their places.
template <class = void>
class basic_receive_walk {
 public:
  basic_receive_walk(const graph& g, const chip_sends& all, std::size_t first_tile)
      : g_{g}, all_{all}, first_tile_{first_tile} {}

  tile_receives operator()(std::size_t tile, const received* first, const received* last) {
    made_ = {};
    tile_ = first_tile_ + tile;
    short_ones_.clear();
    buffered_.clear();
    for (const received* r = first; r != last;) {
      const received* end = r + 1;  // of what is without a gap
      while (end != last && end->variable == r->variable && end->local <= place_after(*(end - 1))) ++end;
      count_run(r, end);
      r = end;
    }
    if (short_ones_.size() > places_worth_a_vertex(g_.chip()))
      for (const received& r : short_ones_) to_buffer(r);
    else
      made_.new_place += static_cast<std::uint32_t>(short_ones_.size());
    count_buffer();
    return made_;
  }

 private:
  const tile_send& send_of(const received& r) const { return all_.sends[r.send]; }
  static std::size_t place_after(const received& r) { return r.local + r.length; }

  void count_run(const received* first, const received* last) {
    const std::size_t element = size_of(g_.variables()[first->variable].type());
    const std::size_t size = (place_after(*(last - 1)) - first->local) * element;
    const received* before = nullptr;  // it, which came to its place
    for (const received* r = first; r != last; ++r) {
      if (element < word && !in_words(*r, element)) {
        to_buffer(*r);
        before = nullptr;
        continue;
      }
      if (size < words_in_place * word)
        short_ones_.push_back(*r);
      else
        ++(before == nullptr ? made_.new_place : made_.goes_on);
      before = r;
    }
  }

  /// True if it changes no other element of the words that it touches: at its end there may be nothing else.
  bool in_words(const received& r, std::size_t element) const {
    const tile_send& s = send_of(r);
    if (s.in_pairs) return true;
    const std::size_t to = r.local * element;
    if (to % word != 0 || s.local * element % word != 0) return false;
    return place_after(r) * element % word == 0 || place_after(r) == g_.variables()[r.variable].held(tile_);
  }

  void to_buffer(const received& r) {
    const tile_send& s = send_of(r);
    const std::size_t element = s.element;
    if (s.in_pairs)
      made_.moved.add_words(r.length * element, g_.chip().copy_width);
    else
      made_.moved.add(s.local * element, r.local * element, r.length * element, element, g_.chip().copy_width);
    buffered_.push_back(r);
  }

  /// The words of a message stand in the buffer as they left: one receive for each.
  void count_buffer() {
    if (buffered_.empty()) return;
    const auto before = [&](const received& a, const received& b) {
      const tile_send& x = send_of(a);
      const tile_send& y = send_of(b);
      return x.tile != y.tile ? x.tile < y.tile : x.before(y);
    };
    put_in_order(buffered_.data(), buffered_.data() + buffered_.size(), before);
    ++made_.new_place;
    for (std::size_t i = 1; i < buffered_.size(); ++i) {
      const tile_send& last = send_of(buffered_[i - 1]);
      const tile_send& s = send_of(buffered_[i]);
      if (s.tile != last.tile || s.variable != last.variable || s.local > last.local + last.length) ++made_.goes_on;
    }
  }

  const graph& g_;
  const chip_sends& all_;
  std::size_t first_tile_;
  std::size_t tile_ = 0;
  tile_receives made_;
  light_vector<received> short_ones_, buffered_;
};
using receive_walk = basic_receive_walk<>;

/// Calls `visit(tile, receives)` for each tile that takes words. `first_tile` is the chip's first. There are millions of
/// receives at times, so they are dealt out to their tiles at once.
template <class Visit>
void for_each_receiver(const graph& g, chip_sends& all, std::size_t first_tile, Visit&& visit) {
  light_vector<std::size_t> end(g.chip().tiles + 1, 0);
  for (const landing& at : all.landings) ++end[at.tile + 1];
  for (std::size_t t = 1; t < end.size(); ++t) end[t] += end[t - 1];
  light_vector<received>& list = all.arriving;
  list.resize(all.landings.size());
  for (std::size_t s = 0; s < all.sends.size(); ++s) {
    const tile_send& send = all.sends[s];
    for (std::size_t r = send.first_receiver; r < send.first_receiver + send.receivers; ++r) {
      const landing& at = all.landings[r];
      list[end[at.tile]++] = {send.to, at.local, send.length, static_cast<std::uint32_t>(s)};
    }
  }
  receive_walk walk(g, all, first_tile);
  const auto before = [](const received& a, const received& b) {
    return a.variable != b.variable ? a.variable < b.variable : a.local < b.local;
  };
  received* first = list.data();
  for (std::size_t t = 0; t < g.chip().tiles; ++t) {
    received* const last = list.data() + end[t];
    if (first == last) continue;
    put_in_order(first, last, before);
    visit(t, walk(t, first, last));
    first = last;
  }
}

}  // namespace impl

}  // namespace ipuflow::ipu
