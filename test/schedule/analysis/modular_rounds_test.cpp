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

/// Writes down the passes that it is given.
struct scribe {
  struct event {
    std::size_t ipu = 0;
    op what{};

    friend bool operator==(const event& a, const event& b) { return a.ipu == b.ipu && a.what.kind == b.what.kind && a.what.stage == b.what.stage; }
  };
  event event_of(std::size_t ipu, const op& o) { return {ipu, o}; }
  void expect(std::size_t) {}
  bool take(const event& e) {
    rows[e.ipu].push_back({e.what.kind, e.what.stage, 0});
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
        for (auto w = t.walk(ipu); w; ++w) expected.push_back({w->kind, w->stage, 0});
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
  }
}

TEST_CASE("stages that may have their micro-batches in different orders have no rounds") {
  auto mixed = zb1p({.ipus = 3, .micro_batches = 9});
  mixed[pass::backward] = {.runs = who::last, .at = 90, .per_group = 1};
  scribe written{.rows = std::vector<std::vector<op>>(3)};
  CHECK_FALSE(modular_rounds{mixed, written}.round(written));

  modular<> crossing = one_f_one_b({.ipus = 2, .micro_batches = 8});
  crossing.part_count = 2;
  crossing.parts[1] = crossing.parts[0];
  crossing.parts[0].micro_batches = 4;
  crossing.parts[1].assign(4, 4, 1);
  for (const pass kind : {pass::forward, pass::backward}) crossing.parts[1][kind].at += 1;  // between those of the other part
  CHECK_FALSE(modular_rounds{crossing, written}.round(written));
}

}  // namespace modular_rounds_test
