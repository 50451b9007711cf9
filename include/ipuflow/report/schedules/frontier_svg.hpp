// SPDX-License-Identifier: BSL-1.0
// The frontier of time and memory as a picture: bytes to the right, time upwards; a stair of what was found, one below it that no
// schedule is under, and a dot for each schedule of the catalogue.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/area_chart.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/schedules/frontier_text.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

namespace impl {

/// The panel of a frontier: a place for each pair of bytes and time.
class frontier_panel {
 public:
  static constexpr std::size_t left = 90;
  static constexpr std::size_t top = 40;
  static constexpr std::size_t width = 640;
  static constexpr std::size_t height = 320;

  frontier_panel(const schedule::frontier_result& of, const dynamic_array<schedule::catalogue_point>& others) {
    const auto see = [&](std::size_t bytes, std::size_t time) {
      least_bytes_ = algorithms::min(least_bytes_, bytes);
      most_bytes_ = algorithms::max(most_bytes_, bytes);
      least_ = algorithms::min(least_, time);
      most_ = algorithms::max(most_, time);
    };
    std::size_t slowest = 0;
    for (const schedule::frontier_point& p : of.points) {
      see(p.best.peak_bytes, p.best.found());
      see(p.limit, p.best.lower_bound);
      slowest = algorithms::max(slowest, p.best.found());
    }
    for (const schedule::catalogue_point& p : others) {
      if (p.time <= slowest + slowest / 4) see(p.peak_bytes, p.time);  // one that is far off would press all others together
    }
    if (least_ > most_) least_ = least_bytes_ = 0;
    const std::size_t room = algorithms::max<std::size_t>((most_ - least_) / 16, 1);
    least_ -= algorithms::min(least_, room);
    most_ += algorithms::min(room, static_cast<std::size_t>(-1) - most_);
    const std::size_t wide = algorithms::max<std::size_t>((most_bytes_ - least_bytes_) / 16, 1);
    least_bytes_ -= algorithms::min(least_bytes_, wide);
    most_bytes_ += algorithms::min(wide, static_cast<std::size_t>(-1) - most_bytes_);
  }

  [[nodiscard]] bool holds(std::size_t bytes, std::size_t time) const { return bytes <= most_bytes_ && time <= most_; }
  [[nodiscard]] svg_length x(std::size_t bytes) const {
    return svg_length::of_tenths(10 * left + part(bytes - algorithms::min(bytes, least_bytes_), most_bytes_ - least_bytes_, width));
  }
  [[nodiscard]] svg_length y(std::size_t time) const {
    return svg_length::of_tenths(10 * (top + height) - part(time - algorithms::min(time, least_), most_ - least_, height));
  }

  /// Numbers along both sides.
  template <class Costs>
  void axes(svg_canvas& canvas, const Costs& costs) const {
    canvas.box("lane", left, top, width, height);
    const std::size_t every = round_step((most_bytes_ - least_bytes_) / 8 + 1);
    for (std::size_t n = 0, first = rounded_up(least_bytes_, every); n <= (most_bytes_ - first) / every; ++n) {
      canvas.label(x(first + n * every), top + height + 14, "tick", short_bytes(first + n * every));
    }
    const std::size_t each = round_step((most_ - least_) / 8 + 1);
    for (std::size_t n = 0, first = rounded_up(least_, each); n <= (most_ - first) / each; ++n) {
      canvas.label(left - 6, svg_length::of_tenths(y(first + n * each).tenths + 30), "side", time_text(costs, first + n * each));
    }
  }

  /// A stair that falls at each point's bytes to its time, up to the right side.
  template <class Bytes, class Time>
  void stair(svg_canvas& canvas, const std::string& style, const schedule::frontier_result& of, Bytes bytes, Time time,
             const std::string& title) const {
    std::string path;
    for (const schedule::frontier_point& p : of.points) {
      path += path.empty() ? joined("M", x(bytes(p)).text(), " ", y(time(p)).text()) : joined("H", x(bytes(p)).text(), "V", y(time(p)).text());
    }
    canvas.shape(style, joined(path, "H", std::to_string(left + width)), title);
  }

 private:
  /// The least multiple of a step that is not below a number. An axis has eight steps and more, so it is on it.
  static std::size_t rounded_up(std::size_t from, std::size_t step) { return from / step * step + (from % step == 0 ? 0 : step); }
  static std::size_t part(std::size_t of, std::size_t whole, std::size_t pixels) {
    return static_cast<std::size_t>(10.0 * static_cast<double>(pixels) * static_cast<double>(of) / static_cast<double>(whole) + 0.5);
  }

  std::size_t least_ = static_cast<std::size_t>(-1);
  std::size_t most_ = 0;
  std::size_t least_bytes_ = static_cast<std::size_t>(-1);
  std::size_t most_bytes_ = 0;
};

/// Names beside dots: those of one place in one line, and a line below another that would run into it.
class dot_names {
 public:
  void add(svg_length x, svg_length y, std::string_view name) {
    for (line& l : lines_) {
      if (l.dot_x.tenths != x.tenths || l.dot_y.tenths != y.tenths) continue;
      l.names += ", ";
      l.names += name;
      return;
    }
    lines_.push_back({x, y, std::string{name}});
  }

  void draw(svg_canvas& canvas) const {
    light_vector<line> drawn;  // their places are those of the text
    for (line l : lines_) {
      l.dot_x = svg_length::of_tenths(l.dot_x.tenths + 60), l.dot_y = svg_length::of_tenths(l.dot_y.tenths + 30);
      while (algorithms::any_of(drawn.begin(), drawn.end(), [&](const line& other) { return meet(l, other); })) l.dot_y.tenths += 10;
      canvas.label(l.dot_x, l.dot_y, "beside", l.names);  // with a rim, as a stair may run through it
      drawn.push_back(std::move(l));
    }
  }

 private:
  struct line {
    svg_length dot_x, dot_y;
    std::string names;
  };
  /// In tenths of a pixel: a line is 10 high, a letter at most 6 wide.
  static bool meet(const line& a, const line& b) {
    const auto end = [](const line& l) { return l.dot_x.tenths + 60 * l.names.size(); };
    const auto apart = [](std::size_t x, std::size_t y) { return x > y ? x - y : y - x; };
    return a.dot_x.tenths < end(b) && b.dot_x.tenths < end(a) && apart(a.dot_y.tenths, b.dot_y.tenths) < 100;
  }

  light_vector<line> lines_{};
};

}  // namespace impl

/// Points that would stand outside of the picture are left out.
template <class Costs>
[[nodiscard]] std::string frontier_svg(const schedule::frontier_result& of, const dynamic_array<schedule::catalogue_point>& others,
                                       schedule::search_metric metric, const Costs& costs, const std::string& title = "") {
  using impl::frontier_panel;
  const frontier_panel panel{of, others};
  const std::size_t bottom = frontier_panel::top + frontier_panel::height;
  svg_canvas canvas{frontier_panel::left + frontier_panel::width + 110, bottom + 50,
                    ".found{stroke:#2f6db3;stroke-width:2;fill:none}.least{stroke:#8a8a84;stroke-dasharray:4 3;fill:none}"
                    ".point{fill:#2f6db3}.other{fill:#c7791f}.side{fill:#333;font-size:9px;text-anchor:end}"
                    ".beside{fill:#333;text-anchor:start;paint-order:stroke;stroke:#f1f1ee;stroke-width:3px;stroke-linejoin:round}"};
  const std::string word = impl::metric_word(metric);
  canvas.label(frontier_panel::left, 16, "key", title);
  canvas.label(frontier_panel::left, 32, "key", impl::joined(word, impl::unit_text(costs).empty() ? "" : " in", impl::unit_text(costs)));
  panel.axes(canvas, costs);
  if (!of.points.empty()) {
    panel.stair(canvas, "least", of, [](const auto& p) { return p.limit; }, [](const auto& p) { return p.best.lower_bound; },
                "no schedule of these limits is below");
    panel.stair(canvas, "found", of, [](const auto& p) { return p.best.peak_bytes; }, [](const auto& p) { return p.best.found(); }, "found");
  }
  const auto dot = [&](const std::string& style, std::size_t bytes, std::size_t time, const std::string& words) {
    canvas.box(style, svg_length::of_tenths(panel.x(bytes).tenths - 30), svg_length::of_tenths(panel.y(time).tenths - 30), 6, 6, words);
  };
  for (const schedule::frontier_point& p : of.points) {
    dot("point", p.best.peak_bytes, p.best.found(),
        impl::joined(impl::time_text(costs, p.best.found()), impl::unit_text(costs), " with ", std::to_string(p.best.peak_bytes), " bytes, ",
                     impl::gap_text(p.best)));
  }
  impl::dot_names names;
  for (const schedule::catalogue_point& p : others) {
    if (!panel.holds(p.peak_bytes, p.time)) continue;
    dot("other", p.peak_bytes, p.time,
        impl::joined(std::string{p.name}, ": ", impl::time_text(costs, p.time), impl::unit_text(costs), " with ", std::to_string(p.peak_bytes), " bytes"));
    names.add(panel.x(p.peak_bytes), panel.y(p.time), p.name);
  }
  names.draw(canvas);
  std::size_t at = canvas.key(frontier_panel::left, bottom + 40, "point", "found; no schedule is below the broken line");
  canvas.key(at, bottom + 40, "other", "schedules of the catalogue, bytes of an IPU to the right");
  return canvas.finish();
}

}  // namespace ipuflow::report
