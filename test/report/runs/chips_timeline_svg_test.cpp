// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/chips_timeline_svg.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "hand_made.hpp"
#include "xml.hpp"

#include <doctest/doctest.h>

namespace chips_timeline_svg_test {

using namespace ipuflow;

// What is in it: timeline_svg_test.cpp.
TEST_CASE("a picture of a run on chips is as wide as its limits allow") {
  const auto p = hand_made::on_chips(schedule::grouped({.ipus = 2, .micro_batches = 8}));
  const auto narrow = xml::parsed(report::timeline_svg(p, {.least_width = 100, .most_width = 200}));
  const auto wide = xml::parsed(report::timeline_svg(p, {.least_width = 1000, .most_width = 2000}));
  CHECK(narrow.elements[0].number("width") + 500 < wide.elements[0].number("width"));
}

}  // namespace chips_timeline_svg_test
