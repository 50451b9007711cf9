// SPDX-License-Identifier: BSL-1.0
// Every name gives a schedule, and no other name does.
#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace catalogue_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("all names work on eight micro-batches over four IPUs") {
  for (const std::string_view name : schedule_names) {
    with_schedule(name, {.ipus = 4, .micro_batches = 8}, [&](const auto& t) {
      CAPTURE(name);
      CHECK_FALSE(verify(t));
      CHECK(operations(t) > 0);
    });
  }
}

TEST_CASE("what was refused is an empty timetable to all that looks at it") {
  const setup wrong[] = {{.ipus = 3, .stages_per_ipu = 5}, {.ipus = 3, .stages_per_ipu = 5, .micro_batches = 7},
                         {.micro_batches = 4}};
  std::size_t refused = 0;
  for (const setup& asked : wrong) {
    for (const std::string_view name : schedule_names) {
      with_schedule(name, asked, costs{3, 2, 1, 1}, [&](const auto& t) {
        if (!t.refused) return;
        CAPTURE(name);
        ++refused;
        CHECK(verify(t) == t.refused);
        CHECK(operations(t) == 0);
        CHECK(makespan(t) == 0);
        CHECK(step_count(t) == 0);
        CHECK(fifo_depths(t).size() == t.where.stages);
        CHECK(peak(t).size() == t.where.ipus);
        CHECK(critical_path(t).empty());
        CHECK(tabulate(t).refused == t.refused);
        if constexpr (requires { loop_of(t, 0); }) CHECK(loop_of(t, 0) == loop{});
        if constexpr (requires { program_of(t); }) CHECK(program_of(t).steps() == 0);
      });
    }
  }
  CHECK(refused > 30);
}

TEST_CASE("an unknown name") {
  std::string said;
  try {
    with_schedule("gpip", {.ipus = 4, .micro_batches = 8}, [](const auto&) {});
  } catch (const error& e) {
    said = e.what();
  }
  CHECK(said.starts_with("ipuflow: no schedule is called 'gpip'; use one of grouped interleaved"));
  for (const std::string_view name : schedule_names) CHECK(said.find(" " + std::string{name}) != std::string::npos);
}

}  // namespace catalogue_test
