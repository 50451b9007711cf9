// SPDX-License-Identifier: BSL-1.0
// A run as an SVG picture that stands by itself in a browser: a row for each IPU and one for the host, time to the
// right, a box for each thing that takes time, in the colours of the pictures of schedules, with the number of its
// micro-batch where it fits. The headline has the time of all; the bar below it shows ramp-up, steady state and ramp-down
// of each run of the timetable. A long run goes on in bands below.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/bands.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/drawing/svg_legend.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/runs/extent.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

namespace impl {

template <class = void>
class basic_timeline_picture {
 public:
  basic_timeline_picture(const timeline& shown, const extent& cut, const timeline_style& style)
      : t_{shown},
        cut_{cut},
        highlight_{style.highlight},
        margin_{margin_for(shown)},
        panes_{panes_of(cut, margin_, style.wrap)},
        legend_{legend_of(shown, margin_, style.wrap)},
        canvas_{width(), height(), rules()} {}

  std::string draw() {
    canvas_.label(margin_, 16, "key", headline());
    for (const run_times& r : t_.runs) ramps(r);
    for (std::size_t r = 0; r < t_.rows.size(); ++r) {
      for (const pane& p : panes_) lane(p, r);
    }
    for (const slice& s : t_.slices) show(s);
    for (std::size_t i = 0; i < panes_.size(); ++i) {
      ways(panes_[i]);
      axis(panes_[i]);
      if (i + 1 < panes_.size() && !panes_[i].goes_on) broken_lines(panes_[i], panes_[i + 1]);
    }
    legend_.draw(canvas_, bottom(panes_.back()) + 28);
    if (!note().empty()) canvas_.label(margin_, bottom(panes_.back()) + 46 + legend_.more_height(), "key", note());
    return canvas_.finish();
  }

 private:
  using length = svg_length;
  static constexpr std::size_t bar = 26;
  static constexpr std::size_t top = bar + 22;
  static constexpr std::size_t row_height = 24;
  static constexpr std::size_t gap = 28;
  static constexpr std::size_t between_bands = 32;  // with the numbers of an axis

  static std::string rules() {
    return ".stash{fill:#b9ad84}.restore{fill:#d6c99c}.exchange{fill:#d2a63c}.load{fill:#8a6a55}.store{fill:#6b5242}"
           ".clear{fill:#cfa9a9}.reduce{fill:#a8578c}.share{fill:#c2477f}.run{fill:#5b5b57}.out{fill:#b4b4ab}.small{font-size:9px}.cut{"
           "stroke:#8a8a84;"
           "stroke-dasharray:3 3;fill:none}";
  }
  static std::string style_of(slice_kind kind) {
    constexpr const char* others[] = {"stash", "restore", "exchange", "load", "store", "clear", "reduce", "share", "run"};
    const auto number = static_cast<std::size_t>(kind);
    if (number < schedule::pass_count) return svg_style_of(static_cast<schedule::pass>(kind));
    return others[number - schedule::pass_count];
  }

  static svg_legend legend_of(const timeline& t, std::size_t margin, std::size_t wrap) {
    std::array<bool, slice_kinds> used{};
    for (const slice& s : t.slices) used[static_cast<std::size_t>(s.kind)] = true;
    svg_legend keys{margin, wrap};
    for (std::size_t k = 0; k < slice_kinds; ++k) {
      const auto kind = static_cast<slice_kind>(k);
      if (used[k]) keys.add(style_of(kind), name_of(kind));
    }
    return keys;
  }
  /// Room for the longest name of a row.
  static std::size_t margin_for(const timeline& t) {
    std::size_t longest = 6;
    for (const row& r : t.rows) longest = algorithms::max(longest, r.name.size());
    return 20 + 6 * longest;
  }
  /// Windows stand beside each other in one band if they fit, else each has bands of its own.
  static light_vector<pane> panes_of(const extent& cut, std::size_t margin, std::size_t wrap) {
    std::size_t x = margin;
    light_vector<pane> panes;
    for (std::size_t w = 0; w < cut.windows.size(); ++w) {
      panes.push_back({.begin = cut.windows[w].begin, .end = cut.windows[w].end, .window = w, .left = x});
      x += cut.widths[w] + gap;
    }
    const std::size_t room = room_in(wrap, margin);
    if (x - gap - margin <= room) return panes;
    light_vector<pane> broken;
    for (pane p : panes) {
      p.left = margin;
      add_bands(broken, p, (p.end - p.begin) * room / cut.widths[p.window]);
    }
    return broken;
  }
  bool in_bands() const { return panes_.back().band > 0; }

  std::size_t width() const {
    std::size_t right = 0;
    for (const pane& p : panes_) right = algorithms::max(right, p.left + (lane_width(p) + 9) / 10);
    return algorithms::max(right + margin_, legend_.right(), margin_ + svg_canvas::words_width(headline()));
  }
  std::size_t height() const { return bottom(panes_.back()) + (note().empty() ? 36 : 54) + legend_.more_height(); }
  std::size_t down(const pane& p) const { return p.band * (top - bar + t_.rows.size() * row_height + between_bands); }
  std::size_t row_at(const pane& p, std::size_t r) const { return down(p) + top + r * row_height; }
  std::size_t bottom(const pane& p) const { return row_at(p, t_.rows.size()); }

  /// Distance of a time from the beginning of its window, in tenths of a pixel.
  std::size_t inside(std::size_t w, std::uint64_t time) const {
    const window& shown = cut_.windows[w];
    if (shown.end == shown.begin) return 0;
    return (algorithms::clamp(time, shown.begin, shown.end) - shown.begin) * 10 * cut_.widths[w] / (shown.end - shown.begin);
  }
  std::size_t tenths(const pane& p, std::uint64_t time) const { return 10 * p.left + inside(p.window, time) - inside(p.window, p.begin); }
  std::size_t lane_width(const pane& p) const {
    return p.begin == p.end ? 10 * cut_.widths[p.window] : inside(p.window, p.end) - inside(p.window, p.begin);
  }
  static length px(std::size_t tenths) { return length::of_tenths(tenths); }

  void lane(const pane& p, std::size_t r) {
    const bool first = p.window == 0 || in_bands();  // of its band
    if (first) canvas_.label(margin_ - 8, row_at(p, r) + row_height / 2 + 4, "name", t_.rows[r].name);
    canvas_.box("lane", p.left, row_at(p, r) + 1, px(lane_width(p)), row_height - 2);
  }

  void show(const slice& s) {
    for_each_part(panes_, s.start, s.finish, [&](const pane& p, const shown_part& drawn) { show(s, p, drawn); });
  }
  void show(const slice& s, const pane& p, const shown_part& seen) {
    const std::size_t begin = tenths(p, seen.begin);
    const std::size_t wide = tenths(p, seen.end) - begin;
    const std::size_t drawn = wide >= 40 && !seen.goes_on ? wide - 10 : algorithms::max<std::size_t>(wide, 4);
    const std::size_t lanes = t_.rows[s.row].lanes, high = (row_height - 2) / lanes;
    const std::size_t y = row_at(p, s.row) + 1 + (high > 0 ? s.lane * high : s.lane * (row_height - 2) / lanes);
    const std::size_t height = lanes > 1 && high > 1 ? high - 1 : algorithms::max<std::size_t>(high, 1);
    const std::string style = style_of(s.kind) + emphasis(s.micro_batch, highlight_);
    canvas_.box(style, px(begin), y, px(drawn), height, title(s));
    draw_tips(canvas_, style, px(begin), y, px(begin + drawn), height, seen);
    const bool numbered = is_pass(s.kind) || s.kind == slice_kind::run;
    const std::size_t number = s.kind == slice_kind::run ? s.run : s.micro_batch;
    if (!numbered || number == schedule::nowhere || high < 9) return;
    const std::string words = std::to_string(number);
    const bool large = high >= 14 && wide >= 70 * words.size() + 20;
    if (!large && wide < 52 * words.size() + 12) return;
    canvas_.words(px(begin + drawn / 2), y + high / 2 + (large ? 4 : 3), large ? "" : " class=\"small\"", words);
  }

  /// The way of the highlighted micro-batch, in each run of the timetable: through its passes as they follow each other.
  void ways(const pane& p) {
    if (highlight_ == schedule::nowhere) return;
    const window& all = cut_.windows[p.window];
    for (std::size_t run = 0; run < t_.runs.size(); ++run) {
      light_vector<corner> way;  // in tenths of a pixel, behind the beginning of the window and below the first row
      for (const slice& s : t_.slices) {
        if (!is_pass(s.kind) || s.micro_batch != highlight_ || s.run != run || s.start >= all.end || s.finish <= all.begin) continue;
        way.push_back({(inside(p.window, s.start) + inside(p.window, s.finish)) / 2, 10 * (s.row * row_height + row_height / 2)});
      }
      std::string path;
      for_each_step(way, inside(p.window, p.begin), inside(p.window, p.end), [&](bool pen_down, const corner& to) {
        path += joined(pen_down ? "L" : "M", px(10 * p.left + to.x - inside(p.window, p.begin)).text(), " ", px(10 * row_at(p, 0) + to.y).text());
      });
      if (!path.empty()) canvas_.shape("way", path);
    }
  }

  std::string title(const slice& s) const {
    std::string text = name_of(s);
    if (s.stage != schedule::nowhere) text += joined(", stage ", std::to_string(s.stage));
    if (s.thread != schedule::nowhere) text += joined(", thread ", std::to_string(s.thread));
    return text + ", " + time(s.start) + " to " + time(s.finish) + ": " + time(s.finish - s.start);
  }
  std::string time(std::uint64_t ticks) const {
    return t_.in_cycles ? with_commas(ticks) : short_time(t_.seconds_of(ticks));
  }

  void ramps(const run_times& r) {
    if (r.steady >= r.drain) return;
    stretch(r.start, r.steady, "ramp", "ramp-up", "mark");
    stretch(r.steady, r.drain, "steady", "steady state", "on");
    stretch(r.drain, r.finish, "ramp", "ramp-down", "mark");
  }
  void stretch(std::uint64_t from, std::uint64_t to, const char* style, const char* words, const char* ink) {
    for_each_part(panes_, from, to, [&](const pane& p, const shown_part& seen) {
      const std::size_t begin = tenths(p, seen.begin);
      const std::size_t wide = tenths(p, seen.end) - begin;
      const std::size_t drawn = wide > 20 && !seen.goes_on ? wide - 10 : wide;
      canvas_.box(style, px(begin), down(p) + bar, px(drawn), 14);
      draw_tips(canvas_, style, px(begin), down(p) + bar, px(begin + drawn), 14, seen);
      if (wide > 700) canvas_.label(px(begin + wide / 2), down(p) + bar + 11, ink, words);
    });
  }

  /// A number every 100 pixels or a little more.
  void axis(const pane& p) {
    const window& shown = cut_.windows[p.window];
    const std::uint64_t least = algorithms::max<std::uint64_t>((shown.end - shown.begin) * 100 / cut_.widths[p.window], 1);
    std::uint64_t every = 1;
    for (const std::uint64_t factor = 10; every * factor <= least;) every *= factor;
    every *= every >= least ? 1 : 2 * every >= least ? 2 : 5 * every >= least ? 5 : 10;
    for_each_tick(p, every, in_bands(), [&](std::uint64_t at) {
      canvas_.label(px(tenths(p, at)), bottom(p) + 11, "tick", tick(at, every));
    });
  }
  void broken_lines(const pane& before, const pane& behind) {
    const std::size_t off = in_bands() ? 4 : gap / 3;
    broken_line(before, before.left + (lane_width(before) + 9) / 10 + off);
    broken_line(behind, behind.left - off);
  }
  void broken_line(const pane& p, std::size_t x) {
    canvas_.shape("cut", joined("M", std::to_string(x), " ", std::to_string(down(p) + bar), "V", std::to_string(bottom(p) + 4)));
  }
  /// In the unit of their distance; a break that is no whole number of it, in a smaller one.
  std::string tick(std::uint64_t at, std::uint64_t every) const {
    if (t_.in_cycles) return with_commas(at) + (at == 0 ? " cycles" : "");
    if (every >= 1'000'000 && at % 1'000'000 == 0) return with_commas(at / 1'000'000) + " ms";
    if (every >= 1000 && at % 1000 == 0) return with_commas(at / 1000) + " us";
    return every >= 1000 ? time(at) : with_commas(at) + " ns";
  }

  std::string headline() const {
    std::string text = t_.in_cycles ? "A run on chips: " + with_commas(t_.length) + " cycles, " : "A run on host threads: ";
    text += short_time(t_.seconds_of(t_.length));
    if (t_.in_cycles) text += joined(" at ", with_digits(t_.ticks.value * 1e-9, 3), " GHz");
    return text;
  }
  /// Times and operations that the picture leaves out, if any.
  std::string note() const {
    std::string text;
    std::uint64_t seen = 0;
    for (const window& w : cut_.windows) seen += w.end - w.begin;
    if (seen < t_.length)
      text += joined(time(t_.length - seen), t_.in_cycles ? " cycles" : "", " between the broken lines are not shown");
    if (!t_.complete) text += joined(text.empty() ? "" : "; ", with_commas(t_.left_out), " operations found no room in the trace");
    return text;
  }

  const timeline& t_;
  const extent& cut_;
  std::size_t highlight_;
  std::size_t margin_;
  light_vector<pane> panes_;
  svg_legend legend_;
  svg_canvas canvas_;
};
using timeline_picture = basic_timeline_picture<>;

/// A run that is all there, or its beginning, middle and end if it is long.
template <class = void>
[[nodiscard]] inline std::string picture_of_run(timeline t, const timeline_style& style = {}) {
  busiest_stage busiest;
  std::size_t micro_batches = 0;  // of a run
  for (const slice& s : t.slices) {
    busiest.add(s.kind, s.stage, 1, s.finish - s.start);
    if (is_pass(s.kind)) micro_batches = algorithms::max(micro_batches, s.micro_batch + 1);
  }
  const extent cut = extent_of(t.length, busiest.interval(t.length, micro_batches * t.runs.size()), style);
  erase_if(t.slices, [&](const slice& s) {
    return algorithms::none_of(cut.windows.begin(), cut.windows.end(),
                               [&](const window& w) { return s.start < w.end && s.finish > w.begin; });
  });
  return timeline_picture{t, cut, style}.draw();
}

}  // namespace impl

template <class = void>
inline std::string timeline_svg(const run::trace& traced, const timeline_style& style = {}) {
  return impl::picture_of_run<>(timeline_of(traced), style);
}

template <class Other>
std::string timeline_svg(const Other&, const timeline_style& = {}) {
  return impl::refuse<report_wrong::not_a_run, Other>(), std::string{};
}

}  // namespace ipuflow::report
