// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/over_processes.hpp>

#include "all_processes.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace over_processes_test {

using namespace ipuflow;

namespace {

constexpr auto pipeline_of_four = pipeline(input<int>, stage(block<"a">([](int x) { return x + 1; })).ipu<0>(), stage(block<"b">([](int x) { return x * 0.5; })).ipu<1>(),
                                           stage(block<"c">([](double x) { return x - 3; })).ipu<2>(), stage(block<"d">([](double x) { return 2 * x; })).ipu<3>());

/// What comes out where the source has so many; in the process of the last stage.
template <class T>
std::vector<double> run(const T& timetable, int most) {
  std::vector<double> found;
  int next = 0;
  mpi::over_processes(test::all_processes(), pipeline_of_four, timetable, [&] { return next < most ? std::optional<int>{next++} : std::nullopt; },
                      [&](double x) { found.push_back(x); });
  test::all_processes().meet();
  return found;
}

}  // namespace

TEST_CASE("a pipeline of callables over processes gives p(x) in order, and ends with its source or its timetable") {
  constexpr auto timetable = schedule::inference(pipeline_of_four, micro_batches<20>);
  static_assert(accept<schedule::verify_channels(timetable, 0, schedule::receives::early)>());
  const mpi::world& all = test::all_processes();
  for (const int most : {0, 7, 20, 100}) {
    const std::vector<double> found = run(timetable, most);
    if (all.process() + 1 < all.processes()) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(found.size() == static_cast<std::size_t>(most < 20 ? most : 20));
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == 2 * ((static_cast<double>(i) + 1) * 0.5 - 3));
  }
}

}  // namespace over_processes_test
