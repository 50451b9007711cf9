// SPDX-License-Identifier: BSL-1.0
// The bands of a picture: time that is too long for one line goes on in the line below, as words do. A band has all
// rows and its part of the axis. What crosses a break is drawn in both bands, with a tip where it goes on; its parts
// are together as wide as the whole.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report::impl {

/// Time that a picture shows without a break, and where.
struct pane {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t window = 0;  ///< of the run, whose scale it has
  std::size_t band = 0;
  std::size_t left = 0;    ///< in pixels
  bool continues = false;  ///< where the band above breaks off
  bool goes_on = false;    ///< in the band below

  friend constexpr bool operator==(const pane&, const pane&) = default;
};

/// As much of a stretch of time as stands in a pane.
struct shown_part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool continues = false;
  bool goes_on = false;

  friend constexpr bool operator==(const shown_part&, const shown_part&) = default;
};

/// Pixels for the time of a band in a picture `wrap` wide, 0 for any width, with a margin on either side. Not less than
/// an operation may take: a narrower band shows nothing.
[[nodiscard]] constexpr std::size_t room_in(std::size_t wrap, std::size_t margin) {
  constexpr std::size_t least = 64;
  if (wrap == 0) return static_cast<std::size_t>(-1);
  return wrap / 2 > margin + least / 2 ? wrap - 2 * margin : least;
}

/// The time of each band, where one has room for `most`: as few bands as that takes, all alike, the last perhaps
/// shorter. A rounder time is better if it is hardly longer, has room, and leaves the last one half of the others' time.
[[nodiscard]] constexpr std::uint64_t band_time(std::uint64_t length, std::uint64_t most) {
  if (length <= most) return length;
  if (most <= 1) return 1;
  const std::uint64_t bands = (length - 1) / most + 1;
  const std::uint64_t even = (length - 1) / bands + 1;
  std::uint64_t best = even;
  bool five = true;
  for (std::uint64_t grid = 1; grid <= even / 5; grid *= five ? 5 : 2, five = !five) {
    const std::uint64_t round = ((even - 1) / grid + 1) * grid;
    if (round <= most && round - even <= even / 10 && (length - 1) % round >= round / 2) best = round;
  }
  return best;
}

/// A window in bands that have room for `most` of its time, below those that are there.
template <class = void>
inline void add_bands(light_vector<pane>& panes, pane window, std::uint64_t most) {
  const std::uint64_t each = band_time(window.end - window.begin, most);
  window.band = panes.empty() ? 0 : panes.back().band + 1;
  for (std::uint64_t at = window.begin;; at += each, ++window.band) {
    pane made = window;
    made.begin = at;
    made.continues = at > window.begin;
    made.goes_on = window.end - at > each;
    if (made.goes_on) made.end = at + each;
    panes.push_back(made);
    if (!made.goes_on) return;
  }
}

/// draw(pane, shown_part) for each part of a stretch of time, which may be a moment. Panes are in order.
template <class Draw>
void for_each_part(const light_vector<pane>& panes, std::uint64_t start, std::uint64_t finish, Draw&& draw) {
  std::size_t at = 0;
  for (std::size_t behind = panes.size(); at < behind;) {  // the first pane that ends after `start`
    const std::size_t middle = at + (behind - at) / 2;
    if (panes[middle].end > start) {
      behind = middle;
    } else {
      at = middle + 1;
    }
  }
  for (; at < panes.size(); ++at) {
    const pane& p = panes[at];
    const bool here = p.begin < finish || (p.begin == start && p.continues);
    if (!here) return;
    draw(p, shown_part{.begin = start < p.begin ? p.begin : start,
                 .end = finish > p.end ? p.end : finish,
                 .continues = p.continues && start < p.begin,
                 .goes_on = p.goes_on && finish > p.end});
  }
}

/// tick(time) for each number on the axis of a pane: multiples of `every`, and in a picture of several bands the
/// beginning and the end, which need the room of what is near them.
template <class Tick>
void for_each_tick(const pane& p, std::uint64_t every, bool ends, Tick&& tick) {
  if (ends) tick(p.begin);
  for (std::uint64_t at = (p.begin + every - 1) / every * every; at <= p.end; at += every) {
    const bool near = 2 * (at - p.begin) < every || 2 * (p.end - at) < every;
    if (!ends || !near) tick(at);
  }
  if (ends && p.end > p.begin) tick(p.end);
}

/// A corner of a line that a picture draws through its boxes.
struct corner {
  std::size_t x = 0;
  std::size_t y = 0;

  friend constexpr bool operator==(const corner&, const corner&) = default;
};

/// step(pen_down, to) along as much of a line as stands between two edges: what crosses an edge ends there.
template <class Step>
void for_each_step(const light_vector<corner>& line, std::size_t left, std::size_t right, Step&& step) {
  corner pen{static_cast<std::size_t>(-1), 0};
  for (std::size_t i = 0; i < line.size(); ++i) {
    const corner& a = line[i == 0 ? 0 : i - 1];
    const corner& b = line[i];
    const corner& low = a.x < b.x ? a : b;
    const corner& high = a.x < b.x ? b : a;
    if (high.x < left || low.x > right) continue;
    const auto cut = [&](const corner& end) {
      const std::size_t x = end.x < left ? left : end.x > right ? right : end.x;
      return x == end.x ? end : corner{x, (low.y * (high.x - x) + high.y * (x - low.x)) / (high.x - low.x)};
    };
    const corner from = cut(a);
    const corner to = cut(b);
    if (from.x == to.x && a.x != b.x) continue;  // it only touches an edge
    if (i == 0 || from != pen) step(false, from);
    if (i > 0) step(true, to);
    pen = to;
  }
}

/// Tips beside a box, to the left where it continues, to the right where it goes on.
template <class = void>
inline void draw_tips(svg_canvas& canvas, const std::string& style, svg_length left, svg_length y, svg_length right,
                      svg_length height, const shown_part& of, const std::string& attributes = "") {
  const auto tip = [&](svg_length x, const char* out, const char* back) {
    const std::string half = svg_length::of_tenths(height.tenths / 2).text();
    canvas.shape(style, joined("M", x.text(), " ", y.text(), "l", out, " ", half, "l", back, " ", half, "z"), "", attributes);
  };
  if (of.continues) tip(left, "-4", "4");
  if (of.goes_on) tip(right, "4", "-4");
}

}  // namespace ipuflow::report::impl
