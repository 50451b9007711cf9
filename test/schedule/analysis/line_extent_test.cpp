// SPDX-License-Identifier: BSL-1.0
// A line runs where its extent says, and a stretch ends where the first of its lines starts or ends.
#include "../every_schedule.hpp"

#include <ipuflow/schedule/analysis/line_extent.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <map>

namespace line_extent_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("no operation is outside of its line's extent, and in its even part all periods have as many") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 48}, [](std::string_view, const setup&, const auto& t) {
    if constexpr (requires { t.parts; }) {
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        t.for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
          pass_stream s = stream_of(p, l, kind, stage, t.span, first);
          const line_extent e{t.where, s};
          REQUIRE(e.period > 0);
          std::map<step_number, std::size_t> of_period;
          step_number earliest = no_step;
          step_number latest = -1;
          for (std::size_t left = s.left; left > 0; --left) {
            const step_number step = s.step(t.where);
            earliest = step < earliest ? step : earliest;
            latest = step > latest ? step : latest;
            if (step < e.even_end) ++of_period[(step - e.start) / e.period];
            if (left > 1) s.advance(1);
          }
          CHECK(earliest == e.start);
          CHECK(latest + 1 <= e.end);
          for (const auto& [period, operations] : of_period) CHECK(operations == of_period.begin()->second);
        });
      }
    }
  });
}

TEST_CASE("a stretch goes on until a line starts, or one that runs ends, and its rounds have one length") {
  const auto line_from = [](step_number start, step_number even_end, step_number end, step_number period) {
    line_extent e;
    e.start = start;
    e.even_end = even_end;
    e.end = end;
    e.period = period;
    return e;
  };
  const auto found = [](step_number at, std::initializer_list<line_extent> lines, bool repeats = true) {
    even_stretch next{at};
    for (const line_extent& e : lines) next.add(e, repeats);
    next.settle(10);
    return next;
  };
  const line_extent first = line_from(0, 90, 95, 3), second = line_from(40, 200, 200, 3), slow = line_from(0, 90, 90, 6);
  CHECK(found(0, {first, second}).edge == 40);
  CHECK(found(0, {first, second}).even);
  CHECK(found(0, {first, second}).period == 3);
  CHECK(found(40, {first, second}).edge == 90);
  CHECK_FALSE(found(40, {first, second}, false).even);
  CHECK(found(91, {first, second}).edge == 101);  // the end of a line that does not run evenly is a ramp
  CHECK_FALSE(found(91, {first, second}).even);
  CHECK(found(96, {first, second}).edge == 200);
  CHECK_FALSE(found(0, {first, slow}).even);
  CHECK(found(0, {first, slow}).period == 10);
  CHECK(found(0, {first, slow}).edge == 90);
  CHECK_FALSE(found(31, {first, second}).even);  // not worth it
  CHECK(found(31, {first, second}).edge == 41);
  CHECK(found(300, {first, second}).edge == 310);  // none runs
  CHECK_FALSE(found(300, {first, second}).even);
}

}  // namespace line_extent_test
