// SPDX-License-Identifier: BSL-1.0
// A panel with bytes upwards and places to the right, and areas in it, the highest drawn first. Where there are more
// places than there is room for, a column shows the most of its places: no peak gets lost.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

namespace impl {

/// The smallest of 1, 2, 5, 10, 20, ... that is not less.
[[nodiscard]] constexpr std::uint64_t round_step(std::uint64_t least) {
  std::uint64_t step = 1;
  while (step <= least / 10) step *= 10;
  for (const std::uint64_t times : {1u, 2u, 5u}) {
    if (step * times >= least) return step * times;
  }
  return step * 10;
}

template <class = void>
class basic_area_chart {
 public:
  static constexpr std::size_t left = 80;
  static constexpr std::size_t width = 880;

  /// `most`: bytes up to which the panel reaches.
  basic_area_chart(svg_canvas& canvas, std::size_t top, std::size_t height, std::size_t places, std::uint64_t most)
      : canvas_{canvas},
        top_{top},
        height_{height},
        places_{algorithms::max<std::size_t>(places, 1)},
        most_{algorithms::max<std::uint64_t>(most, 1)} {
    canvas_.box("lane", left, top_, width, height_);
  }

  /// `heights` of all places, from the bottom.
  void area(const std::string& style, const light_vector<std::uint64_t>& heights, const std::string& title) {
    if (algorithms::all_of(heights.begin(), heights.end(), [](std::uint64_t h) { return h == 0; })) return;
    std::string path = joined("M", x(0), " ", y(0));
    const std::size_t columns = algorithms::min(places_, width / 2);
    std::uint64_t before = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      const auto begin = heights.begin() + static_cast<std::ptrdiff_t>(c * places_ / columns);
      const auto end = heights.begin() + static_cast<std::ptrdiff_t>((c + 1) * places_ / columns);
      const std::uint64_t here = *algorithms::max_element(begin, end);
      if (here == before) continue;
      path += joined("H", x(c * places_ / columns), "V", y(here));
      before = here;
    }
    canvas_.shape(style, joined(path, "H", x(places_), "V", y(0), "Z"), title);
  }

  /// A broken line across the panel, unless it is above it.
  void line(std::uint64_t at, const std::string& words) {
    if (at > most_) return;
    canvas_.shape("limit", joined("M", x(0), " ", y(at), "H", x(places_)), words);
    canvas_.label(left + width - 4, svg_length::of_tenths(tenths(at) + 110), "far", words);
  }

  void headline(const std::string& words) { canvas_.label(left, top_ - 6, "key", words); }

  /// Bytes along the left side.
  void bytes_axis() {
    const std::uint64_t every = round_step(most_ * 24 / height_);
    for (std::uint64_t at = 0; at <= most_; at += every) {
      canvas_.label(left - 6, svg_length::of_tenths(tenths(at) + 30), "side", short_bytes(at));
    }
  }

  /// Numbers of places below.
  void places_axis() {
    const std::size_t every = round_step(places_ * 60 / width);
    for (std::size_t at = 0; at <= places_; at += every) {
      canvas_.label(svg_length::of_tenths(10 * left + at * 10 * width / places_), top_ + height_ + 12, "tick",
                    with_commas(at));
    }
  }

  /// Rules for what a chart draws beside areas.
  [[nodiscard]] static std::string rules() {
    return ".limit{stroke:#a33b3b;stroke-dasharray:4 3;fill:none}.side,.far{fill:#333;font-size:9px;text-anchor:end}";
  }

 private:
  std::size_t tenths(std::uint64_t bytes) const {
    return 10 * (top_ + height_) - algorithms::min(bytes, most_) * 10 * height_ / most_;
  }
  std::string x(std::size_t place) const {
    return svg_length::of_tenths(10 * left + place * 10 * width / places_).text();
  }
  std::string y(std::uint64_t bytes) const { return svg_length::of_tenths(tenths(bytes)).text(); }

  svg_canvas& canvas_;
  std::size_t top_;
  std::size_t height_;
  std::size_t places_;
  std::uint64_t most_;
};
using area_chart = basic_area_chart<>;

}  // namespace impl

}  // namespace ipuflow::report
