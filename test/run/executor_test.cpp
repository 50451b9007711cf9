// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/executor.hpp>

#include <ipuflow/schedule/catalogue.hpp>
#include <ipuflow/schedule/table.hpp>

#include <doctest/doctest.h>

#include "checked_work.hpp"

#include <cstddef>
#include <string_view>

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

TEST_CASE("copies of a timetable run beside each other, each complete") {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    run::crew crew{threads};
    for (const std::size_t copies : {0u, 1u, 2u, 3u, 7u}) {
      CAPTURE(threads);
      CAPTURE(copies);
      CHECK(checked::broken_promise(schedule::grouped({.ipus = 3, .micro_batches = 12}), crew, {.copies = copies}, skewed) ==
            nullptr);
      CHECK(checked::broken_promise(schedule::tabulate(schedule::zbv({.ipus = 2, .micro_batches = 8})), crew,
                                    {.slack = 4, .copies = copies}, skewed) == nullptr);
    }
  }
}
