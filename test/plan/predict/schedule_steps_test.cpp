// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/schedule_steps.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

namespace schedule_steps_test {

using namespace ipuflow;

namespace {

/// The steps of a table that was written out whole.
ipuflow::light_vector<plan::kind_of_step> written_out(std::string_view name, const schedule::setup& asked) {
  return plan::steps_of<>(plan::table_of(name, asked)).by_kind.kinds;
}

std::size_t passes_in(const ipuflow::light_vector<plan::kind_of_step>& kinds) {
  std::size_t count = 0;
  for (const plan::kind_of_step& k : kinds) count += k.passes.size() * k.count;
  return count;
}

}  // namespace

TEST_CASE("the steps of a schedule with many micro-batches are those of its table, kind by kind") {
  for (const std::string_view name : {"1f1b", "eager_1f1b", "grouped", "interleaved", "sequential", "gpipe", "zb1p", "popart"}) {
    CAPTURE(name);
    for (const std::size_t ipus : {2u, 3u, 4u}) {
      for (const std::size_t times : {1u, 2u, 7u, 20u, 33u}) {
        const schedule::setup asked{.ipus = ipus, .micro_batches = 2 * ipus * times};
        const plan::schedule_steps steps = plan::steps_of(name, asked);
        REQUIRE(!steps.refused);
        const auto all = written_out(name, asked);
        CHECK(passes_in(steps.by_kind.kinds) == passes_in(all));
        for (const plan::kind_of_step& k : all) {
          std::size_t found = 0;
          for (const plan::kind_of_step& mine : steps.by_kind.kinds) found += mine.passes == k.passes ? mine.count : 0;
          CHECK(found == k.count);
        }
        const auto depths = schedule::fifo_depths(plan::table_of(name, asked));
        for (std::size_t s = 0; s < steps.stages; ++s) CHECK(steps.depths[s] == depths[s]);
        CHECK(steps.few.where.micro_batches <= 10 * ipus);
      }
    }
  }
}

TEST_CASE("so are those of schedules with several stages on an IPU, or with stages that cross") {
  for (const std::string_view name : {"grouped", "interleaved_1f1b", "looped_bfs", "zbv", "v_half", "v_min", "dualpipev", "chimera", "dualpipe"}) {
    CAPTURE(name);
    const std::size_t each = name == "chimera" || name == "dualpipe" ? 1 : 2;
    for (const std::size_t ipus : {2u, 4u}) {
      for (const std::size_t times : {1u, 3u, 9u, 20u}) {
        const schedule::setup asked{.ipus = ipus, .stages_per_ipu = each, .micro_batches = 4 * ipus * times};
        const plan::schedule_steps steps = plan::steps_of(name, asked);
        REQUIRE(!steps.refused);
        const schedule::table whole = plan::table_of(name, asked);
        const plan::schedule_steps all = plan::steps_of<>(whole);
        CHECK(passes_in(steps.by_kind.kinds) == passes_in(all.by_kind.kinds));
        CHECK(steps.depths == all.depths);
        CHECK(steps.ipu_of == all.ipu_of);
        CHECK(steps.other_ipu_of == all.other_ipu_of);
        for (const plan::kind_of_step& k : all.by_kind.kinds) {
          std::size_t found = 0;
          for (const plan::kind_of_step& mine : steps.by_kind.kinds) found += mine.passes == k.passes ? mine.count : 0;
          CHECK(found == k.count);
        }
      }
    }
  }
}

TEST_CASE("a name that is no schedule's is refused with all that a plan knows") {
  CHECK_THROWS_WITH((void)plan::steps_of("1f2b", {.ipus = 2, .micro_batches = 4}),
                    "ipuflow: no schedule is called '1f2b'; use one of grouped interleaved sequential sharded phased gpipe 1f1b eager_1f1b interleaved_1f1b "
                    "looped_bfs zb1p zb2p zbv v_half v_min dualpipe dualpipev chimera inference popart search");
}

TEST_CASE("numbers of micro-batches that the schedule refuses are refused") {
  CHECK(plan::steps_of("grouped", {.ipus = 2, .micro_batches = 4001}).refused);
  CHECK(!plan::steps_of("1f1b", {.ipus = 2, .micro_batches = 4001}).refused);
  CHECK_THROWS((void)plan::steps_of("no such", {.ipus = 2, .micro_batches = 4}));
}

TEST_CASE("the number that is told of is the one that was asked for, not that of the few that a plan is made of") {
  for (const std::string_view name : {"grouped", "interleaved", "chimera", "dualpipe"}) {
    for (const std::size_t ipus : {2u, 4u}) {
      for (const std::size_t asked : {7u, 23u, 41u, 61u, 89u, 4001u}) {
        CAPTURE(name);
        CAPTURE(asked);
        const schedule::setup sizes{.ipus = ipus, .micro_batches = asked};
        CHECK(plan::steps_of(name, sizes).refused == plan::table_of(name, sizes).refused);
      }
    }
  }
  constexpr std::size_t many = schedule::most_micro_batches + 1;
  CHECK(plan::steps_of("popart", {.ipus = 2, .micro_batches = many}).refused.got == many);
}

TEST_CASE("sizes that no schedule has are refused as the schedule refuses them, however large") {
  for (const std::size_t large : {schedule::most_stages + 1, std::size_t{1} << 32, std::size_t{1} << 60, std::size_t{1} << 63, static_cast<std::size_t>(-1)}) {
    for (const char* const name : {"1f1b", "interleaved_1f1b", "grouped", "popart", "chimera"}) {
      for (const schedule::setup& asked : {schedule::setup{.ipus = large, .micro_batches = 8}, schedule::setup{.ipus = 16, .stages_per_ipu = large, .micro_batches = 8},
                                           schedule::setup{.ipus = large, .stages_per_ipu = large, .micro_batches = large}}) {
        CHECK(plan::steps_of(name, asked).refused);
        CHECK(plan::steps_of(name, asked).refused == plan::table_of(name, asked).refused);
      }
    }
  }
}

TEST_CASE("stages are on the IPUs of their schedule") {
  const plan::schedule_steps loop = plan::steps_of("interleaved_1f1b", {.ipus = 2, .stages_per_ipu = 2, .micro_batches = 8});
  REQUIRE(!loop.refused);
  CHECK(loop.stages == 4);
  CHECK(loop.ipu_of == ipuflow::light_vector<std::size_t>{0, 1, 0, 1});
}

TEST_CASE("a crossed schedule has each stage on two chips") {
  const auto of = [](const char* name) { return plan::stages_of_chips(plan::steps_of(name, {.ipus = 4, .micro_batches = 16})); };
  CHECK(of("1f1b") == ipuflow::light_vector<ipuflow::light_vector<std::size_t>>{{0}, {1}, {2}, {3}});
  CHECK(of("chimera") == ipuflow::light_vector<ipuflow::light_vector<std::size_t>>{{0, 3}, {1, 2}, {1, 2}, {0, 3}});
  CHECK(of("zbv") == ipuflow::light_vector<ipuflow::light_vector<std::size_t>>{{0, 7}, {1, 6}, {2, 5}, {3, 4}});
}

}  // namespace schedule_steps_test
