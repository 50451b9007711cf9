// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/planning/schedule_waits.hpp>

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace schedule_waits_test {

using namespace ipuflow;

TEST_CASE("rings grow with bodies as those of the whole schedule have; stages recompute that are asked to and do not split backwards") {
  for (const char* const name : {"1f1b", "grouped", "gpipe", "zb1p", "zbv", "chimera"}) {
    CAPTURE(name);
    const plan::schedule_steps steps = plan::steps_of(name, {.ipus = 4, .micro_batches = 40});
    REQUIRE(!steps.refused);
    const train::impl::schedule_waits made = train::impl::waits_of(steps, {1}, false);
    const schedule::table t = plan::table_of(name, {.ipus = 4, .micro_batches = 40});
    const std::vector<run::stage_waits> whole = run::waits_of(t, {1});
    const bool splits = std::any_of(t.rows[0].begin(), t.rows[0].end(), [](const schedule::placed& o) { return o.kind == schedule::pass::backward_weights; });
    CHECK(splits == (name[0] == 'z'));
    REQUIRE(whole.size() == made.waits.size());
    std::vector<std::size_t> next(4, 0);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(made.waits[i].recomputes == (whole[i].stage == 1 && !splits));
      const plan::ring_depths& depths = made.depths[whole[i].chip][next[whole[i].chip]++];
      CHECK(depths == plan::ring_depths{whole[i].arriving, whole[i].values, whole[i].returning, whole[i].slopes, whole[i].listed[0], whole[i].listed[1], whole[i].listed[2], whole[i].listed[3]});
    }
  }
}

TEST_CASE("stages that can recompute are those that a run on chips lets recompute, whichever are asked to: some of a schedule that splits some backwards") {
  std::size_t some = 0;
  for (const char* const name : {"1f1b", "grouped", "popart", "sequential", "zb1p", "zbv", "v_half", "v_min", "chimera", "dualpipe", "dualpipev", "inference"}) {
    for (const std::size_t ipus : {2u, 4u}) {
      const mode run_for = std::string_view{name} == "inference" ? mode::inference : mode::training;
      const schedule::table t = plan::table_of(name, {.ipus = ipus, .micro_batches = 16, .run_for = run_for});
      CAPTURE(name);
      REQUIRE(!t.refused);
      for (const schedule::stage_set& asked : {schedule::stage_set{}, schedule::stage_set{0}, schedule::stage_set{1}, schedule::stage_set{0, 1}, schedule::all_stages}) {
        const schedule::stage_set found = train::impl::recomputing_in(t, asked);
        std::size_t count = 0;
        for (std::size_t s = 0; s < t.where.stages; ++s) {
          bool recomputes = false;
          for (const run::stage_waits& w : run::waits_of(t, asked)) recomputes = recomputes || (w.stage == s && w.recomputes);
          CHECK(found.has(s) == recomputes);
          count += recomputes ? 1u : 0u;
        }
        CHECK(found.empty() == (count == 0));
        if (asked.all) {
          CHECK(found.all == (count == t.where.stages));
          some += count > 0 && count < t.where.stages ? 1u : 0u;
        }
      }
    }
  }
  CHECK(some > 0);
}

TEST_CASE("steps with their moves are those of the whole schedule, kind by kind") {
  for (const char* const name : {"1f1b", "grouped", "gpipe", "zb1p", "zbv", "chimera", "sequential"}) {
    CAPTURE(name);
    const schedule::setup asked{.ipus = 4, .micro_batches = 120};
    const plan::schedule_steps steps = plan::steps_of(name, asked);
    REQUIRE(!steps.refused);
    REQUIRE(steps.bodies > 0);
    const schedule::table t = plan::table_of(name, asked);
    const auto whole = plan::by_kind<>(t, t, 0, train::impl::moves_by_step(t, run::moves_of(t))).kinds;
    std::size_t all = 0, known = 0;
    for (const plan::kind_of_step& kind : train::impl::waits_of(steps, {}, false).steps.kinds) {
      all += kind.count;
      for (const plan::kind_of_step& same : whole) known += same.passes == kind.passes && same.moves == kind.moves && same.count == kind.count ? kind.count : 0;
    }
    CHECK(all == known);
  }
  CHECK(train::impl::waits_of(plan::steps_of("1f1b", {.ipus = 4, .micro_batches = 40}), {}, true).steps.kinds.empty());
}

TEST_CASE("a chip's passes are in loops of a program or between them, together in a step or not; how often makes no difference") {
  const auto loops = [](const char* name, std::size_t micro_batches, std::size_t ipus = 2) {
    const plan::schedule_steps steps = plan::steps_of(name, {.ipus = ipus, .micro_batches = micro_batches});
    REQUIRE(!steps.refused);
    return train::impl::loops_of<>(steps.by_kind, steps.ipus, steps.stages);
  };
  CHECK(loops("1f1b", 64) == loops("1f1b", 640));
  CHECK(loops("1f1b", 64)[0] != loops("gpipe", 64)[0]);    // forwards and backwards are not in one loop
  CHECK(loops("1f1b", 64)[0] != loops("popart", 64)[0]);   // which has both in a step
  CHECK(loops("1f1b", 2)[0] != loops("1f1b", 64)[0]);      // few have no loop
  const auto forwards = std::size_t{1} << static_cast<std::size_t>(schedule::pass::forward);
  const auto backwards = std::size_t{1} << static_cast<std::size_t>(schedule::pass::backward);
  using words = light_vector<std::size_t>;
  CHECK(loops("gpipe", 64)[1] == words{1, 0, forwards, 2, 0, 0, 0, 0, forwards | backwards, 0, 1, 0, backwards, 2, 0, 1});
  CHECK(loops("1f1b", 64, 6)[2] != loops("1f1b", 64, 6)[3]);  // a forward is behind a backward there, not before it
  CHECK(loops("1f1b", 64, 6)[2] == loops("1f1b", 64, 6)[4]);
  CHECK(loops("1f1b", 64, 6) == loops("1f1b", 640, 6));
}

TEST_CASE("the passes of a chip with those that follow are the same of a schedule's chips in the middle, and of any number of micro-batches but few") {
  const auto passes = [](const char* name, std::size_t micro_batches, std::size_t chip) {
    return train::impl::passes_in_turn(plan::steps_of(name, {.ipus = 6, .micro_batches = micro_batches}).few, chip);
  };
  CHECK(passes("1f1b", 64, 0) == passes("1f1b", 640, 0));
  CHECK(passes("1f1b", 64, 0) == passes("1f1b", 64, 1));
  CHECK(passes("1f1b", 64, 0) != passes("1f1b", 64, 5));
  CHECK(passes("1f1b", 64, 0) != passes("gpipe", 64, 0));
  CHECK(passes("gpipe", 64, 0) == passes("gpipe", 64, 5));  // stages by their number on the chip
  CHECK(passes("gpipe", 64, 0).size() == 6);                // F F F, F F B, F B B, B B B, B B and the last B
}

}  // namespace schedule_waits_test
