// SPDX-License-Identifier: BSL-1.0
// What is printed of passes adds up to what the profile has; no line is too long, whatever the sizes.
#include <ipuflow/report/chips/summary.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "hand_made.hpp"
#include "printed.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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
  CHECK(name_of(run::chips_label{.work = run::chips_work::exchange, .pass = schedule::pass::infeed}) == "exchange, infeed");
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

TEST_CASE("passes, updates, all-reduces and the bubble are all of an IPU's time; the bubble is that of the timing") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 16});
  const hand_made::lengths takes{.stash = 0, .exchange = 0, .infeed = 0, .update = 0};
  run::chips_profile p = hand_made::on_chips(t, 1, takes);
  const double all = static_cast<double>(p.chips.total.value);
  const printed::table table{cycles_by_work(p)};
  const auto row = [](const printed::table& from, const std::string& name) {
    for (const auto& r : from.rows) {
      if (r.name == name) return r.numbers;
    }
    return std::vector<double>{};
  };
  REQUIRE(table.rows.size() == 3);
  for (std::size_t chip = 0; chip < 4; ++chip) {
    const std::size_t cell = 2 + 2 * chip;
    const double passes = 16.0 * static_cast<double>(takes.forward + takes.backward + 2 * chip);
    CHECK(row(table, "forward")[cell] == 16.0 * static_cast<double>(takes.forward + chip));
    CHECK(row(table, "bubble")[cell] == all - passes);
  }

  p.chips.replicas = 2;  // 300 cycles of an update of 700 are an all-reduce
  const run::chips_label update{run::chips_work::update, 1, 1, schedule::pass::update};
  const run::chips_label shared{run::chips_work::all_reduce, 1, 1, schedule::pass::update};
  p.chips.activities.push_back(
      {.label = p.labels.size(), .begin = p.chips.total, .length = {700}, .inside = {{.label = p.labels.size() + 1, .length = {300}}}});
  p.labels.push_back(update);
  p.labels.push_back(shared);
  p.chips.total += cycles{700};
  const printed::table trained{cycles_by_work(p)};
  CHECK(row(trained, "update")[4] == 400);
  CHECK(row(trained, "all-reduce")[4] == 300);
  CHECK(row(trained, "all-reduce")[2] == 0);
  CHECK(row(trained, "bubble")[2] == row(table, "bubble")[2] + 700);
  CHECK(row(trained, "bubble")[4] == row(table, "bubble")[4]);
  CHECK(summary(p).find("\nall-reduce ") != std::string::npos);
}

}  // namespace summary_test
