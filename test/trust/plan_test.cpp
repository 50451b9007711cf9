// SPDX-License-Identifier: BSL-1.0
// Plans with every allocation and every call of the user's functions failing in turn. A planner keeps what it has counted: after a failure
// it plans as one that never failed.
#include "injection.hpp"

#include <pipeline_planner/chain.hpp>

#include <ipuflow/chips.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/plan/predict/fitting_cuts.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace trust_plan_test {

using namespace ipuflow;
using trust::fault;

const ipuflow::light_vector<plan::chain_block> chain{{5, 9, 40, 100, 30}, {1, 2, 10, 50, 20}, {2, 3, 30, 70, 20}, {2, 2, 20, 10, 50}, {4, 8, 10, 80, 10}, {3, 3, 0, 20, 40}};

TEST_CASE("a chain is read and cut into stages") {
  trust::walk_all("read a chain", [] {
    const auto read = pipeline_planner::read_chain("chain a 2 1,2,3,4,5 6,7,8,9,10");
    CHECK(read.blocks.size() == 2);
  });
  for (const auto load : {plan::load_kind::compute, plan::load_kind::copies, plan::load_kind::overlap}) {
    const plan::balance_options rules{.stages = 3, .load = load, .link = {10}};
    const auto wanted = plan::balance(chain, rules);
    trust::walk_all("balance a chain", [&] {
      const auto found = plan::balance(chain, rules);
      CHECK(found.cuts == wanted.cuts);
      CHECK(found.bottleneck == wanted.bottleneck);
    });
  }
}

TEST_CASE("cuts with which chips fit") {
  const ipuflow::light_vector<ipuflow::light_vector<std::size_t>> stages_of{{0, 3}, {1, 2}};
  for (const auto how : {plan::recomputing::as_configured, plan::recomputing::where_full}) {
    const auto find = [&] {
      return plan::cuts_that_fit(
          chain, stages_of,
          [&](const ipuflow::light_vector<std::size_t>& cuts, const schedule::stage_set& again, std::size_t chip) {
            trust::user_call();
            std::size_t needs = 0;
            for (const std::size_t s : stages_of[chip]) {
              for (std::size_t b = s == 0 ? 0 : cuts[s - 1]; b < (s < cuts.size() ? cuts[s] : chain.size()); ++b) needs += chain[b].activation_bytes * (again.has(s) ? 1 : 4 - s);
            }
            return needs <= 290;
          },
          {}, how);
    };
    const auto wanted = find();
    trust::walk_all("cuts that fit", [&] {
      const auto found = find();  // outside of CHECK, which catches what is thrown
      CHECK(found.cuts == wanted.cuts);
    });
  }
}

TEST_CASE("the best of many configurations") {
  const plan::choices of{.chips = 4, .batch = 16, .ipus = {1, 2, 4}, .schedules = {"1f1b", "grouped"}, .micro_batches = {1, 2}, .most = 3};
  const auto find = [&] {
    return plan::best(
        [](const plan::configuration& c) {
          trust::user_call();
          plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .tile_memory = {1000}, .code_region = {500}};
          p.total = {100 * c.accumulation + 70 * c.ipus};
          p.memory.resize(c.ipus);
          return p;
        },
        [](const plan::configuration& c, const plan::staging&) {
          trust::user_call();
          plan::chosen_stages made;
          for (std::size_t s = 1; s < c.ipus; ++s) made.cuts.push_back(s);
          return made;
        },
        of);
  };
  const auto wanted = find();
  REQUIRE(wanted.best.size() == 3);
  trust::walk_all("the best configuration", [&] {
    const auto found = find();
    CHECK(found.planned == wanted.planned);
    REQUIRE(found.best.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(found.best[i].then.total == wanted.best[i].then.total);
  });
}

constexpr auto network = single_stage(input<float, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<5>, nn::relu), block<"b">(nn::linear<5>),
                                      block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));

train::planner new_planner() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 24;
  return {chip, {train::planned(network, plan::numbers::f32_32, train::adamw{})}};
}

TEST_CASE("a planner counts chips, cuts stages and searches a schedule; what it has counted is whole, or is counted again") {
  plan::configuration two{.ipus = 2, .micro_batch = 2, .accumulation = 4};
  const auto all = [](train::planner& planner, plan::configuration c) {
    c.cuts = planner.balanced(c).cuts;
    const plan::prediction plain = planner(c);
    c.schedule = plan::search;
    return ipuflow::light_vector<std::uint64_t>{c.cuts[0], plain.total.value, planner(c).total.value};
  };
  train::planner one = new_planner();
  const auto wanted = all(one, two);
  std::optional<train::planner> planner;
  trust::walk(
      "a planner", fault::allocation,
      [&] {
        planner.emplace(new_planner());
        const auto found = all(*planner, two);
        CHECK(found == wanted);
      },
      [&](bool) {
        if (planner) CHECK(all(*planner, two) == wanted);
        planner.reset();
      },
      false, trust::far_apart > 1 ? 997 : 41);
  std::size_t number = 0;  // one that fails again and again, each time a little later, still gets there
  for (planner.emplace(new_planner());; number += 1009) {
    trust::arm(fault::allocation, number);
    bool threw = false;
    try {
      const auto found = all(*planner, two);
      CHECK(found == wanted);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    trust::disarm();
    if (!threw) break;
  }
  CHECK(number > 0);
}

}  // namespace trust_plan_test
