// SPDX-License-Identifier: BSL-1.0
// A trace has a track for each IPU and an event for each operation.
#include <ipuflow/report/schedules/schedule_trace.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

namespace schedule_trace_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("the trace of one micro-batch on one IPU") {
  CHECK(
      report::schedule_trace(one_f_one_b({.ipus = 1, .micro_batches = 1})) ==
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"IPU 0\"}},\n"
      "{\"name\":\"F0\",\"cat\":\"forward\",\"ph\":\"X\",\"ts\":0,\"dur\":1,\"pid\":0,\"tid\":0,\"args\":{\"stage\":0,"
      "\"micro_batch\":0}},\n"
      "{\"name\":\"B0\",\"cat\":\"backward\",\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":0,\"tid\":0,\"args\":{\"stage\":0,"
      "\"micro_batch\":0}}\n]}\n");
}

TEST_CASE("an event for each operation") {
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 8});
  const std::string text = report::schedule_trace(t);
  std::size_t events = 0;
  for (std::size_t at = 0; (at = text.find("\"ph\":\"X\"", at)) != std::string::npos; ++at) ++events;
  CHECK(events == operations(t));
}

TEST_CASE("an update that takes time is there until the end that analysis counts") {
  CHECK(report::schedule_trace(one_f_one_b({.ipus = 2, .micro_batches = 3}), costs{.update = 4})
            .find("{\"name\":\"U2\",\"cat\":\"update\",\"ph\":\"X\",\"ts\":12,\"dur\":4,\"pid\":0,\"tid\":0,") != std::string::npos);
  CHECK(report::schedule_trace(one_f_one_b({.ipus = 2, .micro_batches = 3})).find("update") == std::string::npos);
}

}  // namespace schedule_trace_test
