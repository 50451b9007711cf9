// SPDX-License-Identifier: BSL-1.0
// A run as an SVG picture that stands by itself in a browser: a row for each IPU and one for the host, time to the
// right, a box for each thing that takes time, in the colours of the pictures of schedules, with the number of its
// micro-batch where it fits. The bar on top shows ramp-up, steady state and ramp-down of each run of the timetable.
#pragma once

#include <ipuflow/report/runs/extent.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ipuflow::report {

namespace impl {

class timeline_picture {
 public:
  /// `highlight`: a micro-batch, or nowhere.
  timeline_picture(const timeline& shown, const extent& cut, std::size_t highlight = schedule::nowhere)
      : t_{shown},
        cut_{cut},
        highlight_{highlight},
        margin_{margin_for(shown)},
        left_{lefts(cut, margin_)},
        legend_{legend_of(shown)},
        canvas_{width(), bottom() + 54, rules()} {}

  std::string draw() {
    for (const run_times& r : t_.runs) ramps(r);
    for (std::size_t r = 0; r < t_.rows.size(); ++r) {
      canvas_.label(margin_ - 8, row_at(r) + row_height / 2 + 4, "name", t_.rows[r].name);
      for (std::size_t w = 0; w < left_.size(); ++w) {
        canvas_.box("lane", left_[w], row_at(r) + 1, cut_.widths[w], row_height - 2);
      }
    }
    for (const slice& s : t_.slices) {
      for (std::size_t w = 0; w < left_.size(); ++w) show(s, w);
    }
    for (std::size_t w = 0; w < left_.size(); ++w) {
      ways(w);
      axis(w);
    }
    std::size_t x = margin_;
    for (const slice_kind kind : legend_) x = canvas_.key(x, bottom() + 28, style_of(kind), name_of(kind));
    canvas_.label(margin_, bottom() + 46, "key", note());
    return canvas_.finish();
  }

 private:
  using length = svg_length;
  static constexpr std::size_t top = 30;
  static constexpr std::size_t row_height = 24;
  static constexpr std::size_t gap = 28;

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

  static std::vector<slice_kind> legend_of(const timeline& t) {
    std::array<bool, slice_kinds> used{};
    for (const slice& s : t.slices) used[static_cast<std::size_t>(s.kind)] = true;
    std::vector<slice_kind> kinds;
    for (std::size_t k = 0; k < slice_kinds; ++k) {
      if (used[k]) kinds.push_back(static_cast<slice_kind>(k));
    }
    return kinds;
  }
  /// Room for the longest name of a row.
  static std::size_t margin_for(const timeline& t) {
    std::size_t longest = 6;
    for (const row& r : t.rows) longest = std::max(longest, r.name.size());
    return 20 + 6 * longest;
  }
  static std::vector<std::size_t> lefts(const extent& cut, std::size_t margin) {
    std::vector<std::size_t> all;
    std::size_t x = margin;
    for (const std::size_t wide : cut.widths) {
      all.push_back(x);
      x += wide + gap;
    }
    return all;
  }
  std::size_t width() const {
    std::size_t keys = margin_;
    for (const slice_kind kind : legend_) keys += svg_canvas::key_width(name_of(kind));
    return std::max(left_.back() + cut_.widths.back() + margin_, keys);
  }
  std::size_t row_at(std::size_t r) const { return top + r * row_height; }
  std::size_t bottom() const { return row_at(t_.rows.size()); }

  /// Where a time of a window stands, in tenths of a pixel.
  std::size_t tenths(std::size_t w, std::uint64_t time) const {
    const window& shown = cut_.windows[w];
    const std::uint64_t inside = std::clamp(time, shown.begin, shown.end) - shown.begin;
    if (shown.end == shown.begin) return 10 * left_[w];
    return 10 * left_[w] + inside * 10 * cut_.widths[w] / (shown.end - shown.begin);
  }
  bool shows(std::size_t w, std::uint64_t start, std::uint64_t finish) const {
    return start < cut_.windows[w].end && finish > cut_.windows[w].begin;
  }
  static length px(std::size_t tenths) { return length::of_tenths(tenths); }

  void show(const slice& s, std::size_t w) {
    if (!shows(w, s.start, s.finish)) return;
    const std::size_t begin = tenths(w, s.start);
    const std::size_t wide = tenths(w, s.finish) - begin;
    const std::size_t drawn = wide >= 40 ? wide - 10 : std::max<std::size_t>(wide, 4);
    const std::size_t high = (row_height - 2) / t_.rows[s.row].lanes;
    const std::size_t y = row_at(s.row) + 1 + s.lane * high;
    canvas_.box(style_of(s.kind) + emphasis(s.micro_batch, highlight_), px(begin), y, px(drawn), t_.rows[s.row].lanes > 1 ? high - 1 : high, title(s));
    const bool numbered = is_pass(s.kind) || s.kind == slice_kind::run;
    const std::size_t number = s.kind == slice_kind::run ? s.run : s.micro_batch;
    if (!numbered || number == schedule::nowhere || high < 9) return;
    const std::string words = std::to_string(number);
    const bool large = high >= 14 && wide >= 70 * words.size() + 20;
    if (!large && wide < 52 * words.size() + 12) return;
    canvas_.words(px(begin + drawn / 2), y + high / 2 + (large ? 4 : 3), large ? "" : " class=\"small\"", words);
  }

  /// The way of the highlighted micro-batch, in each run of the timetable: through its passes as they follow each other.
  void ways(std::size_t w) {
    if (highlight_ == schedule::nowhere) return;
    for (std::size_t run = 0; run < t_.runs.size(); ++run) {
      std::string path;
      for (const slice& s : t_.slices) {
        if (!is_pass(s.kind) || s.micro_batch != highlight_ || s.run != run || !shows(w, s.start, s.finish)) continue;
        const std::size_t x = (tenths(w, s.start) + tenths(w, s.finish)) / 2;
        const std::size_t y = row_at(s.row) + row_height / 2;
        path += joined(path.empty() ? "M" : "L", px(x).text(), " ", std::to_string(y));
      }
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
    for (std::size_t w = 0; w < left_.size(); ++w) {
      if (!shows(w, from, to)) continue;
      const std::size_t begin = tenths(w, from);
      const std::size_t wide = tenths(w, to) - begin;
      canvas_.box(style, px(begin), 8, px(wide > 20 ? wide - 10 : wide), 14);
      if (wide > 700) canvas_.label(px(begin + wide / 2), 19, ink, words);
    }
  }

  /// A number every 100 pixels or a little more, and a broken line where time is left out behind a window.
  void axis(std::size_t w) {
    const window& shown = cut_.windows[w];
    const std::uint64_t least = std::max<std::uint64_t>((shown.end - shown.begin) * 100 / cut_.widths[w], 1);
    std::uint64_t every = 1;
    for (const std::uint64_t factor = 10; every * factor <= least;) every *= factor;
    every *= every >= least ? 1 : 2 * every >= least ? 2 : 5 * every >= least ? 5 : 10;
    for (std::uint64_t at = (shown.begin + every - 1) / every * every; at <= shown.end; at += every) {
      canvas_.label(px(tenths(w, at)), bottom() + 11, "tick", tick(at, every));
    }
    if (w + 1 == left_.size()) return;
    for (const std::size_t x : {left_[w] + cut_.widths[w] + gap / 3, left_[w + 1] - gap / 3}) {
      canvas_.shape("cut", joined("M", std::to_string(x), " 8V", std::to_string(bottom() + 4)));
    }
  }
  std::string tick(std::uint64_t at, std::uint64_t every) const {
    if (t_.in_cycles) return with_commas(at);
    if (every >= 1'000'000) return with_commas(at / 1'000'000) + " ms";
    return every >= 1000 ? with_commas(at / 1000) + " us" : with_commas(at) + " ns";
  }

  std::string note() const {
    std::string text = t_.in_cycles ? with_commas(t_.length) + " cycles, " : "";
    text += short_time(t_.seconds_of(t_.length));
    text += t_.in_cycles ? joined(" at ", with_digits(t_.ticks.value * 1e-9, 3), " GHz") : " on host threads";
    std::uint64_t seen = 0;
    for (const window& w : cut_.windows) seen += w.end - w.begin;
    if (seen < t_.length)
      text += joined("; of these, ", time(t_.length - seen), " between the broken lines are not shown");
    if (!t_.complete) text += joined("; ", with_commas(t_.left_out), " operations found no room in the trace");
    return text;
  }

  const timeline& t_;
  const extent& cut_;
  std::size_t highlight_;
  std::size_t margin_;
  std::vector<std::size_t> left_;
  std::vector<slice_kind> legend_;
  svg_canvas canvas_;
};

}  // namespace impl

template <class = void>
inline std::string timeline_svg(const run::trace& traced, const timeline_style& style = {}) {
  timeline t = timeline_of(traced);
  impl::busiest_stage busiest;
  std::size_t micro_batches = 0;  // of a run
  for (const slice& s : t.slices) {
    busiest.add(s.kind, s.stage, 1, s.finish - s.start);
    if (is_pass(s.kind)) micro_batches = std::max(micro_batches, s.micro_batch + 1);
  }
  const impl::extent cut = impl::extent_of(t.length, busiest.interval(t.length, micro_batches * t.runs.size()), style);
  std::erase_if(t.slices, [&](const slice& s) {
    return std::none_of(cut.windows.begin(), cut.windows.end(),
                        [&](const window& w) { return s.start < w.end && s.finish > w.begin; });
  });
  return impl::timeline_picture{t, cut, style.highlight}.draw();
}

template <class Other>
std::string timeline_svg(const Other&, const timeline_style& = {}) {
  return impl::refuse<report_wrong::not_a_run, Other>(), std::string{};
}

}  // namespace ipuflow::report
