// SPDX-License-Identifier: BSL-1.0
// A frontier of two points and two schedules beside it, made by hand.
#pragma once

#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/search/frontier.hpp>

namespace ipuflow::test {

inline schedule::frontier_result frontier_of_two() {
  schedule::frontier_result made;
  made.points = dynamic_array<schedule::frontier_point>(2);
  made.points[0].limit = 10;
  made.points[0].best.span = made.points[0].best.makespan = 120;
  made.points[0].best.peak_bytes = 9;
  made.points[0].best.lower_bound = 100;
  made.points[1].limit = 30;
  made.points[1].best.span = made.points[1].best.makespan = 100;
  made.points[1].best.peak_bytes = 25;
  made.points[1].best.lower_bound = 100;
  return made;
}

inline dynamic_array<schedule::catalogue_point> two_others() {
  dynamic_array<schedule::catalogue_point> made;
  made.push_back({"zbv", 110, 25, true});
  made.push_back({"v_min", 130, 4, false});
  return made;
}

}  // namespace ipuflow::test
