// SPDX-License-Identifier: BSL-1.0
// A process alone with everything that may fail failing in turn: memory, and the calls of the user. Of several processes a failure ends
// all, which `mpi.failures` tries; here it comes out as the exception that it was, nothing is lost, and the next run works.
#include "all_processes.hpp"
#include "train/small_network.hpp"
#include "trust/injection.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/mpi/channel.hpp>
#include <ipuflow/mpi/over_processes.hpp>
#include <ipuflow/mpi/session.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace mpi_faults_test {

using namespace ipuflow;

namespace {

constexpr auto pipeline_of_two = pipeline(input<int>, stage(block<"a">([](int x) {
                                            trust::user_call();
                                            return x + 1;
                                          })).ipu<0>(),
                                          stage(block<"b">([](int x) {
                                            trust::user_call();
                                            return x * 0.5;
                                          })).ipu<1>());

}  // namespace

TEST_CASE("a pipeline of callables") {
  mpi::world& all = test::all_processes();
  if (all.processes() > 1) return;
  constexpr auto timetable = schedule::inference(pipeline_of_two, micro_batches<6>);
  for (const trust::fault kind : {trust::fault::allocation, trust::fault::call}) {
    trust::walk(
        "over processes", kind,
        [&] {
          std::vector<double> found;
          found.reserve(6);
          int next = 0;
          mpi::over_processes(
              all, pipeline_of_two, timetable,
              [&] {
                trust::user_call();
                return next < 6 ? std::optional<int>{next++} : std::nullopt;
              },
              [&](double x) {
                trust::user_call();
                found.push_back(x);
              });
          CHECK(found.size() == 6);
        },
        [](bool) {}, false);
  }
}

TEST_CASE("a session of one process") {
  mpi::world& all = test::all_processes();
  if (all.processes() > 1) return;
  const auto timetable = schedule::gpipe(test::small_network, micro_batches<2>);
  auto o = test::small_options(2);
  o.replicas = 2;
  train::session alone{test::small_network, timetable, train::sgd{}, o, on::threads{.count = 1}};
  const test::made_up data{alone.samples_per_step()};
  alone(data);
  trust::walk(
      "session over processes", trust::fault::allocation,
      [&] {
        train::session together{test::small_network, timetable, train::sgd{}, o, on::processes{.world = all, .inner = {.count = 1}}};
        together(data);
        CHECK(*together.parameters() == *alone.parameters());
      },
      [](bool) {}, false, 7);
}

}  // namespace mpi_faults_test
