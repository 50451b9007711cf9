// SPDX-License-Identifier: BSL-1.0
// A run as an SVG picture that stands by itself in a browser: a row for each IPU, time to the right, a box for each
// operation with the number of its micro-batch, colour by pass, paler for later chunks, and behind them a U for each update of
// weights that takes time. The headline has sizes and makespan; the bar below it shows ramp-up, until every IPU has begun its
// backwards, ramp-down, since one has no forward left, and the steady state between them. A long run goes on in bands below.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/report/drawing/bands.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/drawing/svg_legend.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ipuflow::report {

/// Sizes of the picture of a schedule.
struct svg_style {
  /// Width of one unit of time in pixels. 0 makes the narrowest operation 16 wide, or less where the picture would
  /// become wider than 64 pixels for each of its operations: its size follows their number, not the size of costs.
  std::size_t unit = 0;
  std::size_t row = 24;                       ///< height of an IPU's row in pixels, 4 or more
  std::size_t margin = 56;                    ///< left of and above the rows in pixels, 8 or more
  std::size_t highlight = schedule::nowhere;  ///< a micro-batch that stands out
  std::string_view name{};                    ///< of the schedule, in the headline
  std::size_t wrap = 1200;                    ///< width of the picture at which it is broken into bands, 0 for never
};

namespace impl {

/// From times to pixels.
class time_scale {
 public:
  constexpr time_scale() = default;
  constexpr time_scale(std::size_t width, std::size_t time) : width_{width < most ? width : most} {
    while (time >> shift_ > most) ++shift_;
    time_ = time >> shift_;
  }

  [[nodiscard]] constexpr std::size_t width() const { return width_; }
  [[nodiscard]] constexpr std::size_t at(std::size_t time) const {
    const std::size_t inside = time >> shift_;
    return inside >= time_ ? width_ : inside * width_ / time_;
  }
  /// Time that fits into a part of the width, wherever it begins.
  [[nodiscard]] constexpr std::size_t fits(std::size_t room) const {
    return room >= width_ ? static_cast<std::size_t>(-1) : time_ * room / width_ << shift_;
  }

 private:
  static constexpr std::size_t most = 0xffff'ffff;  // products of two fit

  std::size_t width_ = 0;
  std::size_t time_ = 0;
  std::size_t shift_ = 0;
};

template <schedule::timetable T, schedule::pricing Costs = schedule::costs>
class schedule_picture {
 public:
  schedule_picture(const T& t, const Costs& c, svg_style style)
      : t_{t}, costs_{c}, style_{with_room(style)}, legend_{style_.margin, style_.wrap} {
    measure();
  }

  std::string draw() {
    const std::string headline = headline_of_run();
    std::size_t width = 2 * style_.margin + widest_band();
    for (const std::size_t wanted : {legend_.right(), style_.margin + svg_canvas::words_width(headline)})
      if (width < wanted) width = wanted;
    canvas_.emplace(width, bottom(panes_.back()) + 44 + legend_.more_height());
    canvas_->label(style_.margin, 16, "key", headline);
    ramps();
    for (const pane& p : panes_) rows(p);
    schedule::for_each_timed_and_updates(t_, costs_, [&](std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
      operation(ipu, o, span);
    });
    for (const pane& p : panes_) axis(p);
    legend_.draw(*canvas_, bottom(panes_.back()) + 26);
    return canvas_->finish();
  }

 private:
  static constexpr std::size_t bar = 26;
  static constexpr std::size_t top = bar + 22;
  static constexpr std::size_t between_bands = 30;  // with the numbers of an axis

  struct box_corner {
    std::size_t ipu;
    std::size_t start;
    friend bool operator==(const box_corner&, const box_corner&) = default;
  };

  /// So that the halves of a row, and what stands left of it, have a place.
  static svg_style with_room(svg_style style) {
    style.row = algorithms::max<std::size_t>(style.row, 4);
    style.margin = algorithms::max<std::size_t>(style.margin, 8);
    return style;
  }
  static std::string number(std::size_t n) { return std::to_string(n); }
  std::size_t down(const pane& p) const { return p.band * (top - bar + t_.where.ipus * style_.row + between_bands); }
  std::size_t row_at(const pane& p, std::size_t ipu) const { return down(p) + top + ipu * style_.row; }
  std::size_t bottom(const pane& p) const { return row_at(p, t_.where.ipus); }
  std::size_t x_at(const pane& p, std::size_t time) const { return p.left + scale_.at(time) - scale_.at(p.begin); }
  std::size_t widest_band() const {
    std::size_t widest = 0;
    for (const pane& p : panes_)
      if (x_at(p, p.end) - p.left > widest) widest = x_at(p, p.end) - p.left;
    return widest;
  }

  std::string headline_of_run() const {
    std::string words = style_.name.empty() ? std::string{} : std::string(style_.name) + ": ";
    words += number(t_.where.micro_batches) + (t_.where.micro_batches == 1 ? " micro-batch" : " micro-batches") +
             (t_.run_for == mode::inference ? " of inference, " : ", ") + number(t_.where.ipus) +
             (t_.where.ipus == 1 ? " IPU: " : " IPUs: ");
    return words + time_text(costs_, makespan_) + unit();
  }
  /// Behind a time; costs without a unit are counted in units of time.
  std::string unit() const {
    const std::string measured = unit_text(costs_);
    return measured.empty() ? " units of time" : measured;
  }

  void measure() {
    dynamic_array<std::size_t> first{t_.where.ipus, schedule::nowhere};
    dynamic_array<std::size_t> last{t_.where.ipus, 0};
    bool used[schedule::pass_count]{};
    std::size_t narrowest = schedule::nowhere;
    std::size_t operations = 0;
    schedule::for_each_timed_and_updates(t_, costs_, [&](std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
      ++operations;
      const std::size_t time = span.finish - span.start;
      if (time > 0 && time < narrowest) narrowest = time;
      const bool begins = schedule::is_backward(o.kind) || t_.run_for == mode::inference;
      if (begins && span.start < first[ipu]) first[ipu] = span.start;
      if (o.kind == schedule::pass::forward) last[ipu] = span.finish;
      if (span.finish > makespan_) makespan_ = span.finish;
      used[static_cast<std::size_t>(o.kind)] = true;
    });
    const std::size_t natural = narrowest == schedule::nowhere || narrowest >= 16 ? 1 : (15 + narrowest) / narrowest;
    const std::size_t unit = style_.unit == 0 ? natural : style_.unit;
    const std::size_t widest = style_.unit == 0 ? 64 * operations : schedule::nowhere;
    scale_ = {makespan_ > widest / unit ? widest : makespan_ * unit, makespan_};
    add_bands(panes_, {.end = makespan_, .left = style_.margin}, scale_.fits(room_in(style_.wrap, style_.margin)));
    end_ = makespan_;
    for (std::size_t ipu = 0; ipu < t_.where.ipus; ++ipu) {
      if (first[ipu] != schedule::nowhere && first[ipu] > begin_) begin_ = first[ipu];
      if (last[ipu] < end_) end_ = last[ipu];
    }
    for (std::size_t i = 0; i < schedule::pass_count; ++i) {
      const auto kind = static_cast<schedule::pass>(i);
      if (used[i]) legend_.add(svg_style_of(kind), schedule::name_of(kind));
    }
  }

  void rows(const pane& p) {
    for (std::size_t ipu = 0; ipu < t_.where.ipus; ++ipu) {
      const std::size_t y = row_at(p, ipu);
      canvas_->label(p.left - 8, y + style_.row / 2 + 4, "name", "IPU " + number(ipu));
      canvas_->box("lane", p.left, y + 1, x_at(p, p.end) - p.left, style_.row - 2);
    }
  }

  void operation(std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
    if (span.finish == span.start) return;
    const box_corner corner{ipu, span.start};
    const bool lower = upper_half_ == corner;
    upper_half_ = o.with_next ? std::optional{corner} : std::nullopt;
    const bool half = o.with_next || lower;
    const std::size_t down = 1 + (lower ? style_.row / 2 - 1 : 0);
    const std::size_t height = half ? style_.row / 2 - 1 : style_.row - 2;
    const std::size_t chunk = t_.where.stages > t_.where.ipus ? o.stage / t_.where.ipus : 0;
    const std::string pale = chunk == 0 ? "" : " opacity=\"0." + number(chunk > 4 ? 5 : 9 - chunk) + "\"";
    const bool of_all = o.kind == schedule::pass::update;  // the micro-batches of a run together
    const std::string style = svg_style_of(o.kind) + emphasis(of_all ? schedule::nowhere : o.micro_batch, style_.highlight);
    const std::string title = schedule::name_of(o.kind) + (of_all ? std::string{} : " of micro-batch " + number(o.micro_batch)) + ", stage " +
                              number(o.stage) + ", " + time_text(costs_, span.start) + " to " + time_text(costs_, span.finish) + unit_text(costs_);
    const std::string words = of_all ? std::string{schedule::letter(o.kind)} : number(o.micro_batch);
    for_each_part(panes_, span.start, span.finish, [&](const pane& p, const shown_part& drawn) {
      const std::size_t y = row_at(p, ipu) + down;
      const std::size_t width = box(p, drawn, style, y, height, title, pale);
      if (width < 6 * words.size()) return;
      canvas_->words(x_at(p, drawn.begin) + width / 2, y + height / 2 + 4, half ? " style=\"font-size:9px\"" : "", words);
    });
  }

  /// A pixel narrower than its time, to be told from the next, unless it goes on. Returns the pixels of its time.
  std::size_t box(const pane& p, const shown_part& drawn, const std::string& style, std::size_t y, std::size_t height,
                  const std::string& title = "", const std::string& attributes = "") {
    const std::size_t x = x_at(p, drawn.begin);
    const std::size_t width = x_at(p, drawn.end) - x;
    canvas_->box(style, x, y, width > 1 ? width - (drawn.goes_on ? 0 : 1) : 1, height, title, attributes);
    draw_tips(*canvas_, style, x, y, x + width, height, drawn, attributes);
    return width;
  }

  void ramps() {
    if (begin_ >= end_ || t_.goes == schedule::pace::in_turn) return;
    const auto stretch = [&](std::size_t from, std::size_t to, const char* style, const char* words, const char* ink) {
      for_each_part(panes_, from, to, [&](const pane& p, const shown_part& drawn) {
        if (x_at(p, drawn.end) == x_at(p, drawn.begin)) return;
        const std::size_t width = box(p, drawn, style, down(p) + bar, 14);
        if (width > 60) canvas_->label(x_at(p, drawn.begin) + width / 2, down(p) + bar + 11, ink, words);
      });
    };
    stretch(0, begin_, "ramp", "ramp-up", "mark");
    stretch(begin_, end_, "steady", "steady state", "on");
    stretch(end_, makespan_, "ramp", "ramp-down", "mark");
  }

  void axis(const pane& p) {
    std::size_t every = 1;
    for (bool five = true; every <= makespan_ && scale_.at(every) < 48; five = !five) every *= five ? 5 : 2;
    for_each_tick(p, every, panes_.size() > 1, [&](std::size_t time) {
      canvas_->label(x_at(p, time), bottom(p) + 10, "tick", time_text(costs_, time) + (time == 0 ? unit() : ""));
    });
  }

  const T& t_;
  Costs costs_;
  svg_style style_;
  time_scale scale_{};
  light_vector<pane> panes_{};
  svg_legend legend_;
  std::size_t makespan_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::optional<box_corner> upper_half_{};  // of the first of two that run together, until the second is drawn below it
  maybe<svg_canvas> canvas_;
};

}  // namespace impl

/// The picture as the text of a file.
template <schedule::timetable T, schedule::pricing Costs = schedule::costs>
[[nodiscard]] std::string schedule_svg(const T& t, const Costs& c = {}, svg_style style = {}) {
  return impl::schedule_picture<T, Costs>{t, c, style}.draw();
}

template <class Other, class Costs = schedule::costs>
  requires(!schedule::timetable<Other> || !schedule::pricing<Costs>)
std::string schedule_svg(const Other&, const Costs& = {}, svg_style = {}) {
  constexpr bool planned = schedule::timetable<Other>;
  return impl::refuse<planned ? report_wrong::not_costs : report_wrong::not_a_timetable, Other>(), std::string{};
}

}  // namespace ipuflow::report
