// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/schedules/frontier_text.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>

#include "../json.hpp"
#include "frontier_of_two.hpp"

#include <doctest/doctest.h>

#include <string>

namespace frontier_text_test {

using namespace ipuflow;

TEST_CASE("a line for each limit, then the catalogue beside what was found within its memory") {
  const auto of = test::frontier_of_two();
  const auto others = test::two_others();
  CHECK(report::frontier_text(of, others, schedule::search_metric::span, schedule::costs{}) ==
        "limit, bytes  span  no less than  above it  held\n"
        "10             120           100   20.00 %     9\n"
        "30             100           100    proved    25\n"
        "\n"
        "schedule  span  held  found within that\n"
        "zbv        110    25                100\n"
        "v_min *    130     4                  -\n"
        "\n"
        "* has its stages on other IPUs than were searched.\n");
  const std::string text = report::frontier_text(of, {}, schedule::search_metric::makespan, schedule::read_costs("0.1,1,1,1", "ms"));
  CHECK(text.find("makespan, ms") != std::string::npos);
  CHECK(text.find("\n10                      12            10   20.00 %     9\n") != std::string::npos);
}

TEST_CASE("CSV has a line for each, with empty cells where there is no bound") {
  CHECK(report::frontier_csv(test::frontier_of_two(), test::two_others(), schedule::search_metric::span, schedule::costs{}) ==
        "schedule,limit_bytes,peak_bytes,span,lower_bound,proved\n"
        "search,10,9,120,100,false\n"
        "search,30,25,100,100,true\n"
        "zbv,,25,110,,\n"
        "v_min,,4,130,,\n");
}

TEST_CASE("JSON that a strict reader takes") {
  const auto read = json::parsed(report::frontier_json(test::frontier_of_two(), test::two_others(), schedule::search_metric::span, schedule::costs{}));
  CHECK(read["metric"].text == "span");
  REQUIRE(read["frontier"].items.size() == 2);
  CHECK(read["frontier"].items[1]["peak_bytes"].number == 25);
  CHECK(read["frontier"].items[0]["proved"].boolean == false);
  REQUIRE(read["catalogue"].items.size() == 2);
  CHECK(read["catalogue"].items[0]["schedule"].text == "zbv");
}

}  // namespace frontier_text_test
