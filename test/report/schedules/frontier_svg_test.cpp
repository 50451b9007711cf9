// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/schedules/frontier_svg.hpp>

#include "../xml.hpp"
#include "frontier_of_two.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace frontier_svg_test {

using namespace ipuflow;

std::vector<double> numbers_of(const xml::document& read, std::string_view style, std::string_view attribute) {
  std::vector<double> found;
  for (const auto& e : read.elements) {
    bool of_style = false;
    for (const auto& [key, held] : e.attributes) of_style = of_style || (key == "class" && held == style);
    for (const auto& [key, held] : e.attributes) {
      if (of_style && key == attribute) found.push_back(std::stod(held));
    }
  }
  return found;
}

TEST_CASE("a dot for each point and schedule: more bytes to the right, more time upwards, all within the picture") {
  const auto of = test::frontier_of_two();
  const auto read = xml::parsed(report::frontier_svg(of, test::two_others(), schedule::search_metric::span, schedule::costs{}, "a < b"));
  CHECK(read.count_class("found") == 1);
  CHECK(read.count_class("least") == 1);
  const auto x = numbers_of(read, "point", "x");
  const auto y = numbers_of(read, "point", "y");
  REQUIRE(x.size() == 3);  // two, and the legend's
  CHECK(x[0] < x[1]);
  CHECK(y[0] > 0);
  CHECK(y[0] < y[1]);
  const auto other_x = numbers_of(read, "other", "x");
  const auto other_y = numbers_of(read, "other", "y");
  REQUIRE(other_x.size() == 3);
  CHECK(other_x[0] == x[1]);  // 25 bytes both
  CHECK(other_y[0] < y[1]);   // and slower
  CHECK(other_y[0] > y[0]);
  for (const double at : x) CHECK((at > 0 && at < 840));
  for (const double at : other_y) CHECK((at > 0 && at < 410));
}

TEST_CASE("a schedule that is far slower is left out, and no points make a picture, too") {
  auto others = test::two_others();
  others[1].time = 1000;
  const auto read = xml::parsed(report::frontier_svg(test::frontier_of_two(), others, schedule::search_metric::span, schedule::costs{}));
  CHECK(numbers_of(read, "other", "x").size() == 2);
  const auto empty = xml::parsed(report::frontier_svg({}, {}, schedule::search_metric::span, schedule::costs{}));
  CHECK(empty.count_class("found") == 0);
}

TEST_CASE("a limit that is none, and times as large, stand within the picture") {
  constexpr double all = 18446744073709551615.0;
  for (const double part : {0.5, 0.9, 0.94, 0.9999}) {
    auto of = test::frontier_of_two();
    auto& last = of.points[of.points.size() - 1];
    last.limit = static_cast<std::size_t>(part * all);
    for (const bool late : {false, true}) {
      if (late) last.best.span = last.best.makespan = last.limit;
      const auto read = xml::parsed(report::frontier_svg(of, test::two_others(), schedule::search_metric::span, schedule::costs{}));
      for (const char* const style : {"point", "other", "tick", "side"}) {
        for (const double at : numbers_of(read, style, "x")) CHECK((at > 0 && at < 840));
        for (const double at : numbers_of(read, style, "y")) CHECK((at > 0 && at < 410));
      }
      CHECK(numbers_of(read, "tick", "x").size() >= 4);
      CHECK(numbers_of(read, "side", "x").size() >= 4);
    }
  }
}

TEST_CASE("schedules of one place share a line, and lines do not run into each other") {
  auto others = test::two_others();
  others.push_back(others[0]);
  others[2].name = "third";
  const std::string same = report::frontier_svg(test::frontier_of_two(), others, schedule::search_metric::span, schedule::costs{});
  CHECK(same.find(std::string{others[0].name} + ", third") != same.npos);
  others[2].time += 1;  // nearly the same place
  const auto read = xml::parsed(report::frontier_svg(test::frontier_of_two(), others, schedule::search_metric::span, schedule::costs{}));
  const auto y = numbers_of(read, "beside", "y");
  REQUIRE(y.size() == 3);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(std::abs(y[i] - y[j]) >= 10);
  }
  CHECK(same.find(".beside{fill:#333;text-anchor:start;paint-order:stroke;stroke:#f1f1ee;") != same.npos);  // read where a stair runs through it
}

}  // namespace frontier_svg_test
