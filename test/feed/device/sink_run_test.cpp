// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/sink_run.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sink_run_test {

using namespace ipuflow::feed;

struct noting {
  std::string said;
  void operator()(int) {}
  void open() { said += "open "; }
  void close() { said += "close "; }
  void abandon() { said += "abandon "; }
};

TEST_CASE("a sink is closed at the end of its source, and abandoned after an exception") {
  noting sink;
  { sink_run run{sink}; run.finish(true); }
  CHECK(sink.said == "open close ");
  { sink_run run{sink}; run.finish(false); }
  CHECK(sink.said == "open close open ");  // more may come
  try {
    sink_run run{sink};
    throw 1;
  } catch (int) {
  }
  CHECK(sink.said == "open close open open abandon ");
}

TEST_CASE("a function is a sink that is told nothing") {
  auto sink = [](int) {};
  sink_run run{sink};
  run.finish(true);
}

}  // namespace sink_run_test
