// SPDX-License-Identifier: BSL-1.0
// A run as an SVG picture that stands by itself in a browser: a row for each IPU, time to the right, a box for each
// operation with the number of its micro-batch, colour by pass, paler for later chunks. The bar on top shows ramp-up,
// until every IPU has begun its backwards, ramp-down, since one has no forward left, and the steady state between them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace ipuflow::report {

/// Sizes of the picture of a schedule.
struct svg_style {
  /// Width of one unit of time in pixels. 0 makes the narrowest operation 16 wide, or less where the picture would
  /// become wider than 64 pixels for each of its operations: its size follows their number, not the size of costs.
  std::size_t unit = 0;
  std::size_t row = 24;
  std::size_t margin = 56;
  std::size_t highlight = schedule::nowhere;  ///< a micro-batch that stands out
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

 private:
  static constexpr std::size_t most = 0xffff'ffff;  // products of two fit

  std::size_t width_ = 0;
  std::size_t time_ = 0;
  std::size_t shift_ = 0;
};

template <schedule::timetable T, schedule::pricing Costs = schedule::costs>
class schedule_picture {
 public:
  schedule_picture(const T& t, const Costs& c, svg_style style) : t_{t}, costs_{c}, style_{style} { measure(); }

  std::string draw() {
    std::size_t width = 2 * style_.margin + scale_.width();
    if (width < style_.margin + legend_width()) width = style_.margin + legend_width();
    const std::size_t height = top + t_.where.ipus * style_.row + 44;
    canvas_.emplace(width, height);
    ramps();
    for (std::size_t ipu = 0; ipu < t_.where.ipus; ++ipu) {
      const std::size_t y = row_at(ipu);
      canvas_->label(style_.margin - 8, y + style_.row / 2 + 4, "name", "IPU " + number(ipu));
      canvas_->box("lane", style_.margin, y + 1, scale_.width(), style_.row - 2);
    }
    schedule::for_each_timed(t_, costs_,
                             [&](std::size_t ipu, std::size_t, const schedule::placed& o, schedule::span_of_time span) {
                               operation(ipu, o, span);
                             });
    axis();
    legend(row_at(t_.where.ipus) + 26);
    return canvas_->finish();
  }

 private:
  static constexpr std::size_t top = 30;

  static std::string number(std::size_t n) { return std::to_string(n); }
  std::size_t row_at(std::size_t ipu) const { return top + ipu * style_.row; }
  std::size_t x_at(std::size_t time) const { return style_.margin + scale_.at(time); }

  void measure() {
    dynamic_array<std::size_t> first{t_.where.ipus, schedule::nowhere};
    dynamic_array<std::size_t> last{t_.where.ipus, 0};
    std::size_t narrowest = schedule::nowhere;
    std::size_t operations = 0;
    schedule::for_each_timed(t_, costs_,
                             [&](std::size_t ipu, std::size_t, const schedule::placed& o, schedule::span_of_time span) {
                               ++operations;
                               const std::size_t time = span.finish - span.start;
                               if (time > 0 && time < narrowest) narrowest = time;
                               const bool begins = schedule::is_backward(o.kind) || t_.run_for == mode::inference;
                               if (begins && span.start < first[ipu]) first[ipu] = span.start;
                               if (o.kind == schedule::pass::forward) last[ipu] = span.finish;
                               if (span.finish > makespan_) makespan_ = span.finish;
                               used_[static_cast<std::size_t>(o.kind)] = true;
                             });
    const std::size_t natural = narrowest == schedule::nowhere || narrowest >= 16 ? 1 : (15 + narrowest) / narrowest;
    const std::size_t unit = style_.unit == 0 ? natural : style_.unit;
    const std::size_t widest = style_.unit == 0 ? 64 * operations : schedule::nowhere;
    scale_ = {makespan_ > widest / unit ? widest : makespan_ * unit, makespan_};
    end_ = makespan_;
    for (std::size_t ipu = 0; ipu < t_.where.ipus; ++ipu) {
      if (first[ipu] != schedule::nowhere && first[ipu] > begin_) begin_ = first[ipu];
      if (last[ipu] < end_) end_ = last[ipu];
    }
  }

  void operation(std::size_t ipu, const schedule::placed& o, schedule::span_of_time span) {
    if (span.finish == span.start) return;
    const std::size_t width = x_at(span.finish) - x_at(span.start);
    const bool lower = pair_[0] == ipu && pair_[1] == span.start + 1;  // the second of two that run together
    pair_[0] = ipu;
    pair_[1] = o.with_next ? span.start + 1 : 0;
    const bool half = o.with_next || lower;
    const std::size_t y = row_at(ipu) + 1 + (lower ? style_.row / 2 - 1 : 0);
    const std::size_t height = half ? style_.row / 2 - 1 : style_.row - 2;
    const std::size_t chunk = t_.where.stages > t_.where.ipus ? o.stage / t_.where.ipus : 0;
    const std::string pale = chunk == 0 ? "" : " opacity=\"0." + number(chunk > 4 ? 5 : 9 - chunk) + "\"";
    const std::string style = svg_style_of(o.kind) + emphasis(o.micro_batch, style_.highlight);
    canvas_->box(style, x_at(span.start), y, width > 1 ? width - 1 : 1, height,
                 schedule::name_of(o.kind) + (" of micro-batch " + number(o.micro_batch)) + ", stage " +
                     number(o.stage) + ", " + number(span.start) + " to " + number(span.finish),
                 pale);
    const std::string words = number(o.micro_batch);
    if (width < 6 * words.size()) return;
    canvas_->words(x_at(span.start) + width / 2, y + height / 2 + 4, half ? " style=\"font-size:9px\"" : "", words);
  }

  void ramps() {
    if (begin_ >= end_ || t_.goes == schedule::pace::in_turn) return;
    const auto stretch = [&](std::size_t from, std::size_t to, const char* style, const char* words, const char* ink) {
      const std::size_t width = x_at(to) - x_at(from);
      if (width == 0) return;
      canvas_->box(style, x_at(from), 8, width > 1 ? width - 1 : 1, 14);
      if (width > 60) canvas_->label(x_at(from) + width / 2, 19, ink, words);
    };
    stretch(0, begin_, "ramp", "ramp-up", "mark");
    stretch(begin_, end_, "steady", "steady state", "on");
    stretch(end_, makespan_, "ramp", "ramp-down", "mark");
  }

  void axis() {
    std::size_t every = 1;
    for (bool five = true; every <= makespan_ && scale_.at(every) < 48; five = !five) every *= five ? 5 : 2;
    for (std::size_t time = 0; time <= makespan_; time += every) {
      canvas_->label(x_at(time), row_at(t_.where.ipus) + 10, "tick", number(time));
    }
  }

  std::size_t legend_width() const {
    std::size_t width = 0;
    for (std::size_t i = 0; i < schedule::pass_count; ++i)
      width += used_[i] ? svg_canvas::key_width(schedule::name_of(static_cast<schedule::pass>(i))) : 0;
    return width;
  }

  void legend(std::size_t y) {
    std::size_t x = style_.margin;
    for (std::size_t i = 0; i < schedule::pass_count; ++i) {
      if (!used_[i]) continue;
      const auto kind = static_cast<schedule::pass>(i);
      x = canvas_->key(x, y, svg_style_of(kind), schedule::name_of(kind));
    }
  }

  const T& t_;
  Costs costs_;
  svg_style style_;
  impl::time_scale scale_{};
  std::size_t makespan_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool used_[schedule::pass_count]{};
  std::size_t pair_[2]{schedule::nowhere, 0};
  std::optional<svg_canvas> canvas_;
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
