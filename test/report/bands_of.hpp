// SPDX-License-Identifier: BSL-1.0
// The law of a picture in bands, for tests: it is the picture in one line, cut. Every box of that line is in the bands
// that it reaches into, at its place and on its row; its parts are together as wide as it is; axes have the times of
// the breaks; and the picture is no wider than its limit.
#pragma once

#include "xml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace bands_of {

struct band {
  double width = 0;
  double from = 0;  // of the line, in pixels
  double down = 0;  // from the first band
  std::vector<const xml::element*> ticks{};
};

inline bool is(const xml::element& e, const char* name, const char* style) {
  const std::pair<std::string, std::string> wanted{"class", style};
  return e.name == name && std::count(e.attributes.begin(), e.attributes.end(), wanted) == 1;
}

/// A time of an axis, whose thousands may be apart.
inline double time_of(const xml::element& tick) {
  std::string digits = tick.text;
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return std::stod(digits);
}

inline std::vector<band> of(const xml::document& picture, std::size_t rows) {
  std::vector<band> found;
  std::size_t lanes = 0;
  std::map<double, std::vector<const xml::element*>> axes;
  std::map<double, double> lefts;  // of each row, from the top
  for (const xml::element& e : picture.elements) {
    if (is(e, "rect", "lane")) lefts[e.number("y")] = e.number("width"), ++lanes;
    if (is(e, "text", "tick")) axes[e.number("y")].push_back(&e);
  }
  REQUIRE(lefts.size() == lanes);
  REQUIRE(lanes == rows * axes.size());
  auto lane = lefts.begin();
  for (const auto& [y, ticks] : axes) {
    band b{.width = lane->second, .down = lane->first - lefts.begin()->first, .ticks = ticks};
    if (!found.empty()) b.from = found.back().from + found.back().width;
    for (std::size_t r = 0; r < rows; ++r, ++lane) CHECK(lane->second == b.width);  // one grid for all rows
    found.push_back(b);
  }
  return found;
}

/// `plain`: the same in one line. `slack`: pixels that a part may be wider than its share, where narrow boxes have no
/// gap behind them.
inline void check(const std::string& wrapped_text, const std::string& plain_text, std::size_t limit, double slack = 0) {
  const xml::document wrapped = xml::parsed(wrapped_text);
  const xml::document plain = xml::parsed(plain_text);
  const xml::element* lane = nullptr;
  std::size_t rows = 0;
  for (const xml::element& e : plain.elements) {
    if (!is(e, "rect", "lane")) continue;
    lane = &e;
    ++rows;
  }
  REQUIRE(lane != nullptr);
  const double left = lane->number("x");
  const double line = lane->number("width");
  const std::vector<band> bands = of(wrapped, rows);
  REQUIRE(bands.size() > 1);
  CHECK(wrapped.elements.front().number("width") <= static_cast<double>(limit));
  CHECK(bands.back().from + bands.back().width == doctest::Approx(line));
  CHECK(bands.back().width <= bands.front().width + 1);

  const double all = time_of(*bands.back().ticks.back());
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const xml::element& begin = *bands[b].ticks.front();
    const xml::element& end = *bands[b].ticks.back();
    CHECK(begin.number("x") == left);
    CHECK(end.number("x") == doctest::Approx(left + bands[b].width));
    CHECK(std::abs(time_of(begin) / all * line - bands[b].from) <= 1);
    CHECK(time_of(begin) == (b == 0 ? 0 : time_of(*bands[b - 1].ticks.back())));
    if (b + 1 < bands.size()) CHECK(time_of(end) == (static_cast<double>(b) + 1) * time_of(*bands[0].ticks.back()));
    for (const xml::element* tick : bands[b].ticks)
      CHECK(std::abs(time_of(*tick) / all * line - bands[b].from - (tick->number("x") - left)) <= 1);
  }

  std::map<std::pair<std::string, double>, std::vector<const xml::element*>> parts;  // by title and row
  std::map<std::string, double> ramps;
  std::size_t tips = 0;
  for (const xml::element& e : wrapped.elements) {
    if (e.name == "path") tips += e["d"].find('l') != std::string::npos ? 1u : 0u;
    if (e.name != "rect" || is(e, "rect", "paper")) continue;
    CHECK(e.number("x") >= left);
    if (e["class"] == "ramp" || e["class"] == "steady") ramps[e["class"]] += e.number("width");
    if (e.text.empty()) continue;
    double down = 0;
    for (const band& b : bands) down = b.down <= e.number("y") - 48 ? b.down : down;
    parts[{e.text, e.number("y") - down}].push_back(&e);
  }
  std::size_t breaks = 0;
  std::size_t boxes = 0;
  for (const xml::element& whole : plain.elements) {
    if (whole.name != "rect") continue;
    if (whole["class"] == "ramp" || whole["class"] == "steady") {
      for (const band& b : bands) breaks += b.from > whole.number("x") - left && b.from < whole.number("x") - left + whole.number("width") ? 1u : 0u;
      ramps[whole["class"]] -= whole.number("width");
    }
    if (whole.text.empty()) continue;
    ++boxes;
    const auto& here = parts[{whole.text, whole.number("y")}];
    REQUIRE(!here.empty());
    const double from = whole.number("x") - left;
    const double to = from + whole.number("width");
    double sum = 0;
    double room = 0;  // what parts are wider than their times: to be seen at all
    double at = from;
    std::size_t b = 0;
    while (b + 1 < bands.size() && whole.number("y") + bands[b].down != here.front()->number("y")) ++b;
    CHECK(from >= bands[b].from);
    for (const xml::element* part : here) {
      REQUIRE(b < bands.size());
      CHECK((*part)["class"] == whole["class"]);
      CHECK(part->number("y") == whole.number("y") + bands[b].down);
      CHECK(part->number("x") == doctest::Approx(left + at - bands[b].from));
      sum += part->number("width");
      room += part->number("width") <= 1 ? 2 : slack;  // itself, and the gap behind the one before
      at = bands[b].from + bands[b].width;  // if there is another, this one ends at the edge
      if (part != here.back()) {
        const double over = part->number("x") + part->number("width") - left - bands[b].width;
        CHECK(over >= -0.01);
        CHECK(over <= (part->number("width") <= 1 ? 1 : slack) + 0.01);
      }
      ++b;
    }
    CHECK(to <= at + 1 + slack);  // the last part has the rest
    CHECK(sum >= whole.number("width") - 0.01);
    CHECK(sum <= whole.number("width") + room + 0.01);
    breaks += here.size() - 1;
  }
  CHECK(parts.size() == boxes);
  CHECK(tips == 2 * breaks);
  for (const auto& [style, rest] : ramps) CHECK(std::abs(rest) <= slack + 0.01);
}

}  // namespace bands_of
