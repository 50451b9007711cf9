// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/free_run.hpp>

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace free_run_test {

using namespace ipuflow;
using plan::free_chips;
using plan::free_stage;
using schedule::pass;

namespace {

free_stage stage_of(std::uint64_t forward, std::uint64_t backward) {
  free_stage made;
  made.passes[static_cast<std::size_t>(pass::forward)] = forward;
  made.passes[static_cast<std::size_t>(pass::backward)] = backward;
  return made;
}

/// Two chips: what comes to one, goes to the other and back takes 79 cycles from its forward to the update of the first.
free_chips two_chips(std::uint64_t outfeed) {
  free_chips made{.clear = {2, 1}, .update = {7, 9}};
  for (auto& stages : made.stages) {
    stages = {stage_of(10, 20), stage_of(30, 5)};
    stages[0].message = 3, stages[1].message_back = 4;
    stages[0].infeed = 6, stages[1].outfeed = outfeed;
  }
  return made;
}

std::uint64_t runs_of(const free_chips& chips, std::uint64_t each, std::size_t prefetch, std::uint64_t runs) {
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 1}));
  const plan::free_schedule of{t, t, 0, chips};
  return plan::free_runs<>(of, runs) + (each == 0 ? 0 : plan::free_waits<>(of, {.each = each, .prefetch = prefetch}, runs));
}

/// Passes of different lengths on each stage.
struct uneven_costs {
  [[nodiscard]] std::size_t of(pass kind, std::size_t stage) const {
    constexpr std::size_t longer[] = {100, 210, 120, 90, 100};
    return kind <= pass::recompute ? longer[static_cast<std::size_t>(kind)] + 7 * (stage % 3) : kind == pass::update ? 11 : 0;
  }
  [[nodiscard]] std::size_t communication_of(std::size_t) const { return 13; }
};

}  // namespace

TEST_CASE("a micro-batch goes there and back, worked out by hand: results and the next run's data are beside it") {
  constexpr std::uint64_t way = 10 + 3 + 30 + 5 + 4 + 20 + 7;
  CHECK(runs_of(two_chips(10), 0, 3, 1) == 6 + way);
  CHECK(runs_of(two_chips(100), 0, 3, 1) == 6 + 10 + 3 + 30 + 100);  // results come last
  CHECK(runs_of(two_chips(10), 0, 3, 2) == 6 + way + 2 + way);
  CHECK(runs_of(two_chips(10), 0, 3, 5) == 6 + way + 4 * (2 + way));
}

TEST_CASE("in inference all results are sent, each when those before it have left the I/O tiles") {
  const schedule::table t = schedule::tabulate(schedule::inference({.ipus = 2, .micro_batches = 3}));
  const auto run = [&](std::uint64_t outfeed, bool one_port) {
    free_chips chips = two_chips(outfeed);
    chips.clear = chips.update = {0, 0}, chips.one_port = one_port;
    return plan::free_runs<>({t, t, 0, chips}, 1);
  };
  CHECK(run(10, false) == 6 + 10 + 3 + 3 * 30 + 10);   // sent while the next one is worked on
  CHECK(run(100, false) == 6 + 10 + 3 + 30 + 3 * 100);
  CHECK(run(100, true) == 6 + 10 + 3 + 30 + 3 * 100);  // all has come before the first is sent
}

TEST_CASE("what a chip does behind a pass keeps it busy, but not those that wait for what the pass has made") {
  free_chips chips = two_chips(10);
  for (auto& stages : chips.stages) stages[0].behind[0] = 8, stages[1].behind[1] = 2;
  CHECK(runs_of(chips, 0, 3, 1) == 6 + 2 + 3 + 30 + 3 + 4 + 20 + 7);
}

TEST_CASE("a run takes what is moved behind each of its passes") {
  const schedule::table t = schedule::tabulate(schedule::gpipe({.ipus = 1, .micro_batches = 4}));
  free_chips chips{.clear = {0}, .update = {0}};
  for (auto& stages : chips.stages) stages = {stage_of(10, 20)};
  const auto run = [&] { return plan::free_runs<>({t, t, 0, chips}, 1); };
  CHECK(run() == 4 * 10 + 4 * 20);
  const plan::following_pass backward{0, pass::backward};
  for (auto& stages : chips.stages) stages[0].passes[1] += 7, stages[0].behind[1] = 7;
  CHECK(run() == 4 * 10 + 4 * 27);
  for (auto& stages : chips.stages) stages[0].between = {{pass::backward, {backward, backward}, {9}, {3}}};
  CHECK(run() == 4 * 10 + 29 + 23 + 2 * 27);
}

TEST_CASE("of two passes that run together, what is moved behind the first is before the second has made anything") {
  schedule::table t = schedule::tabulate(schedule::gpipe({.ipus = 1, .micro_batches = 1}));
  REQUIRE(t.rows[0].size() >= 2);
  free_chips chips{.clear = {0}, .update = {0}};
  for (auto& stages : chips.stages) stages = {stage_of(10, 20)}, stages[0].outfeed = 5;
  for (auto& stages : chips.stages) stages[0].passes[0] += 8, stages[0].behind[0] = 8, stages[0].passes[1] += 4, stages[0].behind[1] = 4;
  t.rows[0][0].with_next = true, t.rows[0][1].step = t.rows[0][0].step;
  CHECK(plan::free_runs<>({t, t, 0, chips}, 1) == 10 + 8 + 20 + 5);  // the results, beside the last four cycles
}

TEST_CASE("a host begins with the next micro-batch when I/O tiles have taken the one before, or has made it ahead") {
  constexpr std::uint64_t way = 79;
  CHECK(runs_of(two_chips(10), 50, 0, 1) == 50 + 6 + way);
  CHECK(runs_of(two_chips(10), 50, 0, 2) == 50 + 6 + way + 2 + way);
  CHECK(runs_of(two_chips(10), 200, 0, 2) == 200 + 6 + 200 + 6 + way);
  CHECK(runs_of(two_chips(10), 200, 1, 2) == 200 + 200 + 6 + way);
}

TEST_CASE("a chip waits until what it made before has left: with a message that is longer than all passes, they follow one another") {
  free_chips chips = two_chips(10);
  for (auto& stages : chips.stages) stages[0].message = 1000;
  const schedule::table t = schedule::tabulate(schedule::grouped({.ipus = 2, .micro_batches = 8}));
  const std::uint64_t took = plan::free_runs<>({t, t, 0, chips}, 1);
  CHECK(took == 6 + 10 + 8 * 1000 + 30 + 5 + 4 + 20 + 7);
}

TEST_CASE("chips that have the same gradients meet before their updates, others do not wait for them") {
  free_chips chips = two_chips(10);
  auto& sums = chips.meetings[static_cast<std::size_t>(plan::meeting_of_chips::sums)];
  auto& told = chips.meetings[static_cast<std::size_t>(plan::meeting_of_chips::told)];
  constexpr std::uint64_t way = 10 + 3 + 30 + 5 + 4 + 20;
  sums = {{0, 50}, {0, 50}};
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 50 + 9);  // the second chip's update is longer, and begins as late
  sums = {{0, 50}, {0, 0}};
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 50 + 7);
  sums = {{0, 50}, {40, 0}};  // which the second chip has done before the first is there
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 50 + 7);
  sums = {{40, 50}, {0, 0}};
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 40 + 50 + 7);
  sums = {{0, 0}, {0, 50}};
  CHECK(runs_of(chips, 0, 3, 1) == 6 + 10 + 3 + 30 + 5 + 50 + 9);
  told = {{0, 2}, {20, 2}};  // the second chip has nothing to meet for before, and measures while the first is on its way
  sums = {};
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 2 + 9);
  sums = {{0, 50}, {0, 50}};  // both have to add up first
  CHECK(runs_of(chips, 0, 3, 1) == 6 + way + 50 + 20 + 2 + 9);
}

TEST_CASE("many bodies are as the whole table is, whether a host is slower than the chips or has to wait for room") {
  for (const std::string_view name : {"1f1b", "gpipe", "zb1p"}) {
    for (const std::uint64_t each : {0u, 20u, 36u, 60u, 200u}) {
      for (const std::size_t prefetch : {0u, 1u, 4u}) {
        for (const std::uint64_t runs : {1u, 2u, 3u}) {
          CAPTURE(std::string{name});
          CAPTURE(each);
          CAPTURE(prefetch);
          CAPTURE(runs);
          free_chips chips = two_chips(10);
          for (auto& stages : chips.stages) {
            for (free_stage& s : stages) s.passes[2] = s.passes[3] = s.passes[1] / 2;
          }
          const auto took = [&](std::size_t count) {
            const schedule::setup asked{.ipus = 2, .micro_batches = count};
            return schedule::with_schedule(name, asked, [](const auto& made) { return schedule::tabulate(made); });
          };
          const schedule::table few = took(16), more = took(20), all = took(16 + 4 * 25);
          const plan::free_host host{.each = each, .prefetch = prefetch};
          const auto cycles_of = [&](const plan::free_schedule& of) {
            return static_cast<double>(plan::free_runs<>(of, runs) + plan::free_waits<>(of, host, runs));
          };
          const double folded = cycles_of({few, more, 25, chips}), whole = cycles_of({all, all, 0, chips});
          CHECK(std::abs(folded / whole - 1) < (each == 36 ? 0.06 : 0.01));  // what is made ahead hides one hardly slower
        }
      }
    }
  }
}

TEST_CASE("without a host it is the time of the analysis, for every schedule of the catalogue") {
  const uneven_costs costs;
  for (const std::string_view name : schedule::schedule_names) {
    for (const std::size_t ipus : {2u, 4u}) {
      for (const std::size_t stages : {0u, 2u}) {
        CAPTURE(std::string{name});
        CAPTURE(ipus);
        const schedule::setup asked{ipus, stages, 4 * ipus};
        const schedule::table t = schedule::with_schedule(name, asked, [](const auto& made) { return schedule::tabulate(made); });
        if (t.refused || t.goes == schedule::pace::in_turn || t.run_for == mode::inference) continue;
        free_chips chips{.clear = light_vector<std::uint64_t>(ipus, 0), .update = light_vector<std::uint64_t>(ipus, 0)};
        const schedule::times expected = schedule::times_of(t, costs);
        for (std::size_t half = 0; half < 2; ++half) {
          for (std::size_t s = 0; s < t.where.stages; ++s) {
            const auto ipu_of = [&](std::size_t stage) { return t.where.ipu_of(stage, half * (t.where.micro_batches - 1)); };
            free_stage& made = chips.stages[half].emplace_back();
            for (const pass k : {pass::forward, pass::backward, pass::backward_inputs, pass::backward_weights, pass::recompute})
              made.passes[static_cast<std::size_t>(k)] = costs.of(k, s);
            if (s + 1 < t.where.stages && ipu_of(s) != ipu_of(s + 1)) made.message = 13;
            if (s > 0 && ipu_of(s) != ipu_of(s - 1)) made.message_back = 13;
            if (half == 0 || t.where.crossed) chips.update[ipu_of(s)] += 11;
          }
        }
        CHECK(plan::free_runs<>({t, t, 0, chips}, 1) == expected.makespan);
      }
    }
  }
}

}  // namespace free_run_test
