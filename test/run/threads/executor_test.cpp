// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/executor.hpp>

#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

#include "checked_work.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace executor_test {

using namespace ipuflow;
using schedule::op;
using schedule::setup;

namespace {

constexpr auto willing = [](std::size_t, const op&) { return std::size_t{0}; };

/// Some operations, some lanes and one stage ask to be tried again, more often than others.
constexpr auto skewed = [](std::size_t lane, const op& o) {
  const std::size_t mixed = (lane * 31 + o.stage * 7 + o.micro_batch * 13) % 11;
  return mixed > 8 ? mixed : o.stage == 1 ? std::size_t{2} : std::size_t{0};
};

}  // namespace

TEST_CASE("on every schedule of the catalogue, every operation is done once, in order, on what it reads") {
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    run::crew crew{threads};
    for (const std::string_view name : schedule::schedule_names) {
      for (const mode run_for : {mode::training, mode::inference}) {
        for (const std::size_t ipus : {1u, 2u, 4u, 8u}) {
          const setup asked{.ipus = ipus, .micro_batches = 16, .run_for = run_for};
          schedule::with_schedule(name, asked, [&](const auto& t) {
            if (t.refused) return;
            CAPTURE(name);
            CAPTURE(threads);
            CAPTURE(ipus);
            const std::size_t slack = ipus % 3 * threads;
            CHECK(checked::broken_promise(t, crew, {.slack = slack}, willing) == nullptr);
            CHECK(checked::broken_promise(t, crew, {.slack = slack}, skewed) == nullptr);
          });
        }
      }
    }
  }
}

TEST_CASE("whichever thread has which lanes") {
  const auto t = schedule::one_f_one_b({.ipus = 5, .micro_batches = 12});
  for (const run::dealt& lanes :
       {run::dealt{{4, 2, 0}, {1, 3}}, run::dealt{{}, {3, 1, 0, 2, 4}}, run::dealt{{0, 4}, {1, 2, 3}}}) {
    run::crew crew{2};
    CHECK(checked::broken_promise(t, crew, {.lanes = &lanes}, skewed) == nullptr);
    CHECK(checked::broken_promise(t, crew, {.slack = 3, .lanes = &lanes}, skewed) == nullptr);
  }
}

TEST_CASE("threads are given about the same work; one operation at a time stays on one thread") {
  const std::vector<std::size_t> work{288, 960, 246, 8};
  const setup asked{.ipus = 4, .micro_batches = 8};
  CHECK(run::deal_lanes(schedule::grouped(asked), 2, 1, work) == run::dealt{{1}, {0, 2, 3}});
  CHECK(run::deal_lanes(schedule::grouped(asked), 2, 1) == run::dealt{{0, 1}, {2, 3}});
  CHECK(run::deal_lanes(schedule::grouped(asked), 2, 2, work) == run::dealt{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(run::deal_lanes(schedule::sharded(asked), 2, 1, work)[0].size() % 4 == 0);
  CHECK(run::deal_lanes(schedule::sharded(asked), 2, 2, work) == run::dealt{{0, 1, 2, 3}, {4, 5, 6, 7}});
}

TEST_CASE("copies of a timetable run beside each other, each complete") {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    run::crew crew{threads};
    for (const std::size_t copies : {0u, 1u, 2u, 3u, 7u}) {
      CAPTURE(threads);
      CAPTURE(copies);
      CHECK(checked::broken_promise(schedule::grouped({.ipus = 3, .micro_batches = 12}), crew, {.copies = copies},
                                    skewed) == nullptr);
      CHECK(checked::broken_promise(schedule::tabulate(schedule::zbv({.ipus = 2, .micro_batches = 8})), crew,
                                    {.slack = 4, .copies = copies}, skewed) == nullptr);
    }
  }
}

}  // namespace executor_test
