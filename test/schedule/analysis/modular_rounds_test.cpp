// SPDX-License-Identifier: BSL-1.0
// The rounds of lines: every operation in an order that its readers can follow, and the number of rounds that are alike.
#include "../every_schedule.hpp"

#include <ipuflow/schedule/analysis/modular_rounds.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace modular_rounds_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// Writes down what it is given.
struct scribe {
  struct event {
    std::size_t ipu = 0;
    op what{};
  };
  event event_of(std::size_t ipu, const placed& o) { return {ipu, o}; }
  bool take(const event& e, std::size_t micro_batch) {
    rows[e.ipu].push_back({e.what.kind, e.what.stage, micro_batch});
    ++taken;
    return true;
  }
  std::vector<std::vector<op>> rows;
  std::size_t taken = 0;
};

}  // namespace

TEST_CASE("the rounds are the walk, for every modular schedule") {
  every::schedule({.ipus = 5, .chunks = 3, .micro_batches = 30}, [](std::string_view, const setup&, const auto& t) {
    if constexpr (requires { t.parts; }) {
      scribe written{.rows = std::vector<std::vector<op>>(t.where.ipus)};
      modular_rounds rounds{t, written};
      while (!rounds.done()) REQUIRE(rounds.round(written));
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        std::vector<op> expected;
        for (auto w = t.walk(ipu); w; ++w) expected.push_back(*w);
        CHECK(written.rows[ipu] == expected);
      }
    }
  });
}

TEST_CASE("rounds that are alike have equally many operations, and can be left out") {
  for (const std::size_t chunks : {1u, 2u}) {
    const auto t = interleaved_1f1b({.ipus = 3, .stages_per_ipu = chunks, .micro_batches = 300});
    scribe written{.rows = std::vector<std::vector<op>>(3)};
    modular_rounds rounds{t, written};
    std::size_t left_out = 0, most = 0;
    while (!rounds.done()) {
      const std::size_t before = written.taken;
      REQUIRE(rounds.round(written));
      const std::size_t alike = rounds.alike();
      if (alike < 5) continue;
      left_out += 5 * (written.taken - before);
      rounds.leave_out(5);
      CHECK(rounds.alike() == alike - 5);
      most = alike > most ? alike : most;
    }
    CHECK(most > 80);
    CHECK(left_out > 0);
    CHECK(written.taken + left_out == 300 * 2 * 3 * chunks);
    for (const auto& row : written.rows) {
      for (std::size_t i = 1; i < row.size(); ++i) CHECK(row[i].micro_batch < 300);
    }
  }
}

}  // namespace modular_rounds_test
