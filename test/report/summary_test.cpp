// SPDX-License-Identifier: BSL-1.0
// What is printed of passes adds up to what the profile has; no line is too long, whatever the sizes.
#include <ipuflow/report/summary.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "hand_made.hpp"
#include "printed.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>

namespace summary_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

TEST_CASE("every label that has run has a line with its numbers") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 4, .micro_batches = 16}), 2);
  const printed::table t{cycles_by_stage(p)};
  REQUIRE(t.rows.size() == p.totals().size());
  for (const run::label_total& total : p.totals()) {
    std::size_t found = 0;
    for (const auto& row : t.rows) {
      if (row.numbers[0] != static_cast<double>(total.times)) continue;
      if (row.numbers[2] != static_cast<double>(total.busy.value)) continue;
      const bool chip = total.what.chip == schedule::nowhere
                            ? !row.name.starts_with("IPU")
                            : row.name.starts_with("IPU " + std::to_string(total.what.chip) + " ");
      const bool stage = total.what.stage == schedule::nowhere ||
                         row.name.find("stage " + std::to_string(total.what.stage)) != std::string::npos;
      if (chip && stage && row.name.find(name_of(kind_of(total.what))) != std::string::npos) ++found;
    }
    CHECK(found == 1);
  }
}

TEST_CASE("each label has a name of its own") {
  std::set<std::string> names;
  std::size_t count = 0;
  for (std::size_t chip = 0; chip < 3; ++chip) {
    for (const run::chips_work work : {run::chips_work::stash, run::chips_work::restore, run::chips_work::load,
                                       run::chips_work::store, run::chips_work::pass}) {
      for (std::size_t pass = 0; pass < schedule::pass_count; ++pass, ++count) {
        names.insert(name_of(run::chips_label{work, chip, 7, static_cast<schedule::pass>(pass)}));
      }
    }
  }
  CHECK(names.size() == count);
  CHECK(name_of(run::chips_label{run::chips_work::load, 1, 2, schedule::pass::update}) ==
        "IPU 1 stage 2 from streaming memory, update");
  CHECK(name_of(run::chips_label{.work = run::chips_work::exchange}) == "exchange");
}

TEST_CASE("at most 100 wide, for one chip and many, small numbers and large") {
  for (const std::size_t chips : {1u, 2u, 4u, 16u, 64u}) {
    for (const std::uint64_t scale : {1ull, 1'000'000ull, 100'000'000'000ull}) {
      run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = chips, .micro_batches = 4 * chips}));
      p.chips = printed::some_profile(chips, scale);
      std::istringstream in(summary(p, {.samples = scale}));
      for (std::string line; std::getline(in, line);) {
        CHECK(line.size() <= 100);
        CHECK((line.empty() || line.back() != ' '));
      }
    }
  }
}

TEST_CASE("samples a second, if it is told how many there were") {
  ipu::profile p = printed::some_profile(2, 1);
  p.clock = hertz{1e6};
  p.total = 500'000_cycles;
  CHECK(summary(p, {.samples = 1234}).find("\n2,468 samples/s, ") != std::string::npos);
  CHECK(summary(p).find("samples/s") == std::string::npos);
}

TEST_CASE("an empty profile") {
  CHECK(summary(run::chips_profile{}) == "0 cycles\n0 IPUs of 0 tiles\n");
  CHECK(summary(ipu::profile{}) == "0 cycles\n0 IPUs of 0 tiles\n");
}

}  // namespace summary_test
