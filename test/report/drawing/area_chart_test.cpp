// SPDX-License-Identifier: BSL-1.0
// Areas have the heights that they are given, and no peak gets lost where there are more places than pixels.
#include <ipuflow/report/drawing/area_chart.hpp>
#include <ipuflow/core/light_vector.hpp>

#include "xml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace area_chart_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

namespace {

/// The path of an area as corners: x, y, x, y, ...
ipuflow::light_vector<std::pair<double, double>> corners(const std::string& path) {
  ipuflow::light_vector<std::pair<double, double>> all;
  std::istringstream in(path);
  double x = 0;
  double y = 0;
  for (char what = 0; in >> what;) {
    if (what == 'M') in >> x >> y;
    if (what == 'H') in >> x;
    if (what == 'V') in >> y;
    if (what != 'Z') all.emplace_back(x, y);
  }
  return all;
}

ipuflow::light_vector<std::pair<double, double>> drawn(const ipuflow::light_vector<std::uint64_t>& heights, std::uint64_t most) {
  svg_canvas canvas(1100, 300, area_chart::rules());
  area_chart(canvas, 50, 200, heights.size(), most).area("al", heights, "all");
  const xml::document d = xml::parsed(canvas.finish());
  CHECK(d.count("path") <= 1);
  for (const xml::element& e : d.elements) {
    if (e.name == "path") return corners(e["d"]);
  }
  return {};
}

}  // namespace

TEST_CASE("steps are round") {
  std::uint64_t before = 0;
  for (const std::uint64_t wanted : {1u, 2u, 5u, 10u, 20u, 50u, 100u}) {
    for (std::uint64_t least = before + 1; least <= wanted; ++least) CHECK(round_step(least) == wanted);
    before = wanted;
  }
  CHECK(round_step(0) == 1);
}

TEST_CASE("few places: each as high as it is") {
  const auto path = drawn({50, 50, 100, 0, 25}, 100);
  const ipuflow::light_vector<std::pair<double, double>> wanted{{80, 250},  {80, 250},  {80, 150},  {432, 150},
                                                      {432, 50},  {608, 50},  {608, 250}, {784, 250},
                                                      {784, 200}, {960, 200}, {960, 250}};
  CHECK(path == wanted);
}

TEST_CASE("many places: the highest is as high as it is, wherever it stands") {
  for (const std::size_t places : {441u, 1472u, 100'000u}) {
    for (const std::size_t peak : {std::size_t{0}, places / 3, places - 1}) {
      ipuflow::light_vector<std::uint64_t> heights(places, 10);
      heights[peak] = 90;
      double top = 250;
      double at = 0;
      for (const auto& [x, y] : drawn(heights, 100)) {
        if (y < top) top = y, at = x;
      }
      CHECK(top == 70.0);
      CHECK(std::abs(at - 80 - 880.0 * static_cast<double>(peak) / static_cast<double>(places)) <= 2.1);
    }
  }
}

TEST_CASE("nothing to draw, and more than the panel reaches to") {
  CHECK(drawn({0, 0, 0}, 100).empty());
  double top = 250;
  for (const auto& [x, y] : drawn({1000}, 100)) top = std::min(top, y);
  CHECK(top == 50);
  drawn({5}, 0);
}

TEST_CASE("axes say bytes and places") {
  svg_canvas canvas(1100, 300, area_chart::rules());
  area_chart chart(canvas, 50, 200, 1472, 638'976);
  chart.bytes_axis();
  chart.places_axis();
  chart.line(600'000, "limit");
  chart.headline("IPU 0");
  const xml::document d = xml::parsed(canvas.finish());
  ipuflow::light_vector<std::string> words;
  for (const xml::element& e : d.elements) {
    if (e.name == "text") words.push_back(e.text);
  }
  for (const char* wanted : {"0 B", "100.0 kB", "600.0 kB", "0", "200", "1,400", "limit", "IPU 0"}) {
    CHECK(std::count(words.begin(), words.end(), wanted) == 1);
  }
  CHECK(d.count_class("limit") == 1);
}

}  // namespace area_chart_test
