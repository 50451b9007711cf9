// SPDX-License-Identifier: BSL-1.0
// Which timetables are trains, and what their lines say: every operation is in one, and each reads the one that it should.
#include "../every_schedule.hpp"

#include <ipuflow/schedule/analysis/train_lines.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>

#include <doctest/doctest.h>

#include <string>

namespace train_lines_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

train_lines lines_of(std::string_view name, const setup& asked) {
  train_lines found{modular<grid>{}, costs{}};
  with_schedule(name, asked, [&](const auto& t) {
    if constexpr (requires { train_lines{t, costs{}}; }) found = train_lines{t, costs{1, 2, 3, 4}};
  });
  return found;
}

}  // namespace

TEST_CASE("one operation a step is trains; IPUs that step together, take turns or run programs are not") {
  for (const std::string_view name : {"gpipe", "1f1b", "eager_1f1b", "interleaved_1f1b", "zb1p", "v_min", "chimera", "inference"}) {
    INFO(std::string{name});
    CHECK(lines_of(name, {.ipus = 4, .micro_batches = 40}).fit());
  }
  for (const std::string_view name : {"grouped", "interleaved", "sequential", "zbv", "dualpipe"}) {
    INFO(std::string{name});
    CHECK_FALSE(lines_of(name, {.ipus = 4, .micro_batches = 40}).fit());
  }
}

TEST_CASE("lines have all operations, and read as many of another line, a fixed time before") {
  for (const std::string_view name : {"1f1b", "interleaved_1f1b", "zb1p", "v_min", "chimera"}) {
    const train_lines lines = lines_of(name, {.ipus = 8, .micro_batches = 42});
    INFO(std::string{name});
    REQUIRE(lines.fit());
    std::size_t operations = 0;
    std::size_t read = 0;
    for (const train_line& l : lines.lines()) {
      operations += l.operations;
      if (l.reads == train_line::none) continue;
      const train_line& maker = lines.lines()[l.reads];
      CHECK(lines.lines()[maker.read_by].lane == l.lane);
      CHECK(maker.lane != l.lane);
      CHECK(maker.operations == l.operations);
      CHECK(maker.extent.start < l.extent.start);
      CHECK(maker.out.at == l.in.at);
      CHECK(l.delay == 4);
      read += l.operations;
    }
    std::size_t expected = 0;
    with_schedule(name, {.ipus = 8, .micro_batches = 42}, [&](const auto& t) { expected = ipuflow::schedule::operations(t); });
    CHECK(operations == expected);
    CHECK(read > expected / 2);
  }
}

TEST_CASE("where thousands of messages wait, or a message would be read before it is made, there are no trains") {
  CHECK_FALSE(train_lines{looped_bfs({.ipus = 3, .stages_per_ipu = 2, .micro_batches = 500}), costs{}}.fit());
  auto t = one_f_one_b({.ipus = 3, .micro_batches = 10});
  CHECK(train_lines{t, costs{}}.fit());
  t[pass::forward].per_stage = -1;
  t[pass::forward].at = 2;
  CHECK_FALSE(train_lines{t, costs{}}.fit());
}

}  // namespace train_lines_test
