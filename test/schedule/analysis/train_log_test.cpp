// SPDX-License-Identifier: BSL-1.0
// A log gives back the bit of each IPU at each step, and for steps that were left out that of the cycle before them.
#include <ipuflow/schedule/analysis/train_log.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace train_log_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

constexpr std::size_t lanes = 70;

bool bit(step_number row, std::size_t lane) { return (static_cast<std::size_t>(row) * 37 + lane * 11) % 5 < 2; }

void add(train_log& log, step_number row) {
  for (std::size_t lane = 0; lane < lanes; ++lane) log.said()[lane] = bit(row, lane) ? 1 : 0;
  log.keep();
}

}  // namespace

TEST_CASE("equal to a list of all steps, in which cycles are written out") {
  train_log log{lanes};
  std::vector<step_number> rows;  // of each step, the one whose bits it has
  step_number row = 0;
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      add(log, row);
      rows.push_back(row++);
    }
  };
  const auto leave_out = [&](step_number steps, step_number cycle) {
    log.leave_out(static_cast<step_number>(rows.size()), steps, cycle);
    for (step_number i = 0; i < steps; ++i) rows.push_back(rows[rows.size() - static_cast<std::size_t>(cycle)]);
  };
  run(300);
  leave_out(12, 3);
  leave_out(0, 2);
  run(7);
  leave_out(700, 7);
  run(300);
  for (std::size_t step = 0; step < rows.size(); ++step) {
    for (std::size_t lane = 0; lane < lanes; ++lane) REQUIRE(log.message(static_cast<step_number>(step), lane) == bit(rows[step], lane));
  }
  CHECK(log.left_out_at(299) == nullptr);
  REQUIRE(log.left_out_at(300) != nullptr);
  CHECK(log.left_out_at(300)->steps == 12);
  CHECK(log.left_out_at(5000)->steps == 700);
  CHECK_FALSE(log.full());
}

TEST_CASE("a log that would take too much memory says so, and takes no more of it") {
  train_log log{std::size_t{64} << 14};  // 128 KB a step
  for (int i = 0; i < 1000; ++i) log.keep();
  CHECK(log.full());
}

}  // namespace train_log_test
