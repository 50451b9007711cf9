// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/plans/plan_json.hpp>

#include <report/json.hpp>
#include <report/plans/planned.hpp>

#include <doctest/doctest.h>

#include <string>

namespace plan_json_test {

using namespace ipuflow;

TEST_CASE("a plan as JSON has its configuration, its step and its chips") {
  const json::value read = json::parsed(report::plan_json(planned::prediction(), planned::choice(), {.network = "le\"net", .chip = "mk2", .stages = {"a to c", "d"}}));
  CHECK(read["network"].text == "le\"net");
  CHECK(read["chip"].text == "mk2");
  CHECK(read["stages"].items.at(1).text == "d");
  const json::value& c = read["configuration"];
  CHECK(c.members.size() == 28);  // each field of plan::configuration
  CHECK(c["cuts"].items.at(0).number == 3);
  CHECK(c["schedule"].text == "popart");
  CHECK(c["precision"].text == "16.32");
  CHECK(c["bytes_in"].boolean);
  CHECK_FALSE(c["half_partials"].boolean);
  CHECK(c["io_tiles"].number == 16);
  CHECK(c["memory_proportion"].number == 0.6);
  plan::configuration by_chip = planned::choice();
  by_chip.memory_proportion = {0.15, 0.25};
  const json::value listed = json::parsed(report::plan_json(planned::prediction(), by_chip));
  REQUIRE(listed["configuration"]["memory_proportion"].items.size() == 2);
  CHECK(listed["configuration"]["memory_proportion"].items[1].number == 0.25);
  CHECK(read["samples_per_second"].number == 48'000);
  CHECK(read["samples"].number == 96);
  CHECK(read["cycles"].number == 1'000'000);
  CHECK(read["seconds"].number == 0.002);
  CHECK(read["cycles_by_use"].members.size() == plan::time_uses);
  CHECK(read["cycles_by_use"]["bubble"].number == 300'000);
  CHECK(read["cycles_by_use"]["all_reduce"].number == 0);
  CHECK(read["bound"].text == "compute");
  CHECK(read["busiest"].number == 1);
  const json::value& chips = read["chips"];
  REQUIRE(chips.items.size() == 2);
  CHECK(chips.items[0]["busy"].number == 600'000);
  CHECK(chips.items[0]["from_host"].number == 6'272);
  CHECK(chips.items[1]["to_host"].number == 16);
  CHECK(chips.items[1]["fullest_tile"].number == 12);
  CHECK(chips.items[0]["bytes"].number == 400'000);
  CHECK(chips.items[0]["bytes_by_use"].members.size() == plan::memory_uses);
  CHECK(chips.items[0]["bytes_by_use"]["activations"].number == 300'000);
  CHECK(read["tile_memory"].number == 625'000);
  CHECK(read["fits"].boolean);
  CHECK(read.find("refused") == nullptr);
}

TEST_CASE("one that does not fit says why") {
  const json::value read = json::parsed(report::plan_json(planned::prediction(), planned::choice(), {.headroom = 0.5}));
  CHECK_FALSE(read["fits"].boolean);
  CHECK(read["refused"].text.starts_with("ipuflow: chip 0 of the plan is too small: its tile 3 needs 400000 bytes and may have 312500,"));
}

}  // namespace plan_json_test
