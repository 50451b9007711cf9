// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/over_processes.hpp>

#include "all_processes.hpp"

#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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

TEST_CASE("a timetable of other stages or other places is refused: it would run nothing, or wait for ever") {
  CHECK_THROWS_WITH(run(schedule::inference({.ipus = 2, .micro_batches = 8}), 8),
                    "ipuflow: a timetable of 2 stages is to run a pipeline of 4; make the timetable from that pipeline");
  CHECK_THROWS_WITH(run(schedule::sequential({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 8, .run_for = mode::inference}), 8),
                    "ipuflow: branch 0 of stage 2 is on IPU 2, where the timetable does not have that stage; make the timetable from this pipeline, or place it");
}

TEST_CASE("a timetable that leaves an operation out is refused: an item would be lost, or waited for") {
  schedule::table t = schedule::tabulate(schedule::inference(pipeline_of_four, micro_batches<3>));
  t.rows[3].pop_back();
  CHECK_THROWS_WITH(run(t, 3), "ipuflow: never done: forward of micro-batch 2 in stage 3 on IPU 3; add it to the order of that IPU");
  t.rows[3].push_back(t.rows[3][0]);
  CHECK_THROWS_WITH(run(t, 3), "ipuflow: done twice: forward of micro-batch 0 in stage 3 on IPU 3, position 2; remove one of the two");
}

TEST_CASE("processes that run other timetables are told so: items would be lost, or waited for") {
  const mpi::world& all = test::all_processes();
  const bool odd = all.process() == 1;
  const auto differs = [&](const auto& timetable, std::string_view what) {
    if (all.processes() == 1) return;
    try {
      run(timetable, 20);
      FAIL("not thrown");
    } catch (const rejected<mpi::mpi_fault>& wrong) {
      CHECK(wrong.found().got == 1);
      CHECK(wrong.found().where.what.view().starts_with(what));
    }
  };
  differs(schedule::inference(pipeline_of_four, odd ? 8u : 12u), "the number of micro-batches is 8 instead of 12");
  schedule::table t = schedule::tabulate(schedule::inference(pipeline_of_four, micro_batches<4>));
  if (odd) std::swap(t.rows[3][0].micro_batch, t.rows[3][1].micro_batch);
  REQUIRE(!schedule::verify(t));
  differs(t, "the timetable (as a number) is ");
}

TEST_CASE("what a stage throws has the name of its stage, pass and micro-batch") {
  mpi::world& all = test::all_processes();
  if (all.processes() > 1) return;  // others would wait for it; programs of several end by it
  const auto fails = pipeline(input<int>, stage(block<"a">([](int x) { return x + 1; })).ipu<0>(),
                              stage(block<"b">([](int x) { return x == 3 ? throw std::runtime_error{"no three"} : x; })).ipu<1>());
  int next = 0;
  try {
    mpi::over_processes(all, fails, schedule::inference(fails, micro_batches<8>), [&] { return std::optional<int>{next++}; }, [](int) {});
    FAIL("nothing was thrown");
  } catch (const run::stage_failed& failed) {
    CHECK(std::string{failed.what()} == "ipuflow: stage 1 failed in the forward of micro-batch 2: no three");
    CHECK_THROWS_AS(std::rethrow_exception(failed.cause()), std::runtime_error);
  }
}

TEST_CASE("a source of pointers keeps what they point to, and a reader of an outfeed comes to the end") {
  mpi::world& all = test::all_processes();
  if (all.processes() > 1) return;  // one of them has all stages then
  const auto lengths = pipeline(input<std::string>, stage(block<"a">([](const std::string& s) { return s.size(); })).ipu<0>(),
                                stage(block<"b">([](std::size_t n) { return n + 1; })).ipu<1>());
  std::string word(100, 'x');
  int asked = 0;
  feed::outfeed<std::size_t> out;
  auto reader = out.follow();
  const auto source = [&] { return ++asked < 3 ? &word : nullptr; };
  mpi::over_processes(all, lengths, schedule::inference(lengths, micro_batches<8>), source, out);
  CHECK(word.size() == 100);
  CHECK(reader.next() == 101);
  CHECK(reader.next() == 101);
  CHECK(!reader.next());
}

}  // namespace over_processes_test
