// SPDX-License-Identifier: BSL-1.0
// Schedules that earlier versions wrote as CSV are read by this one: the files of test/old_files, as in train/old_files_test.cpp.
// Those of this version are written to the folder `next` by
//   schedule_test --no-skip --test-case="the schedules of this version are written"
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace schedule_old_files_test {

using namespace ipuflow;

namespace {

// Two IPUs, two micro-batches: a step each, empty where an IPU idles; the weights' gradients are passes of their own.
constexpr const char* written = "0F0,0F1,,0I0,0W0,0I1,0W1\r\n,1F0,1I0,1F1,1I1,1W0,1W1\r\n";

}  // namespace

TEST_CASE("a schedule of every version is read, operation by operation") {
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator{IPUFLOW_OLD_FILES}) {
    if (!entry.is_directory() || entry.path().filename() == "next") continue;
    std::ifstream in{entry.path() / "schedule.csv", std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const schedule::table t = schedule::read_csv(text);
    REQUIRE(t.rows.size() == 2);
    REQUIRE(t.rows[0].size() == 6);
    REQUIRE(t.rows[1].size() == 6);
    const auto is = [&](std::size_t ipu, std::size_t i, schedule::pass kind, std::size_t micro_batch, std::size_t step) {
      const schedule::placed& o = t.rows[ipu][i];
      CHECK(o.kind == kind);
      CHECK(o.stage == ipu);
      CHECK(o.micro_batch == micro_batch);
      CHECK(o.step == step);
    };
    using enum schedule::pass;
    is(0, 0, forward, 0, 0);
    is(0, 1, forward, 1, 1);
    is(0, 2, backward_inputs, 0, 3);
    is(0, 3, backward_weights, 0, 4);
    is(0, 4, backward_inputs, 1, 5);
    is(0, 5, backward_weights, 1, 6);
    is(1, 0, forward, 0, 1);
    is(1, 1, backward_inputs, 0, 2);
    is(1, 2, forward, 1, 3);
    is(1, 3, backward_inputs, 1, 4);
    is(1, 4, backward_weights, 0, 5);
    is(1, 5, backward_weights, 1, 6);
    ++read;
  }
  CHECK(read > 0);
}

TEST_CASE("the schedules of this version are written" * doctest::skip()) {
  const std::filesystem::path folder = IPUFLOW_OLD_FILES "/next";
  std::filesystem::create_directory(folder);
  std::ofstream{folder / "schedule.csv", std::ios::binary} << to_csv(schedule::read_csv(written));
}

}  // namespace schedule_old_files_test
