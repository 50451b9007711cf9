// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/stream_work.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>
#include <vector>

namespace stream_test {

using namespace ipuflow;
using run::attempt;
using run::progress;
using schedule::op;
using schedule::pass;
using streams::token;

namespace {

bool is(const progress& made, std::size_t done, attempt next) { return made.done == done && made.next == next; }

}  // namespace

TEST_CASE("operations of one loop: done, wait and over, as values come and room is left") {
  std::vector<long> out;
  auto source = streams::numbers(3);
  auto sink = [&](const token& x) { out.push_back(x.value()); };
  const auto& p = streams::folded;  // stages 0 and 2 on IPU 0, 1 and 3 on IPU 1
  run::impl::stream_work work{p, source, sink, run::depths(4, 1), 2, {}};
  const auto forward = [&](std::size_t ipu, std::size_t stage, std::size_t count) {
    return work.perform(ipu, {pass::forward, stage, 0}, count);
  };
  CHECK(is(work.perform(0, {pass::backward, 0, 0}, 5), 5, attempt::done));  // nothing to do for callables
  CHECK(is(forward(1, 1, 1), 0, attempt::wait));
  CHECK(is(forward(0, 0, 3), 2, attempt::wait));  // no room for a third
  CHECK(is(forward(1, 1, 5), 2, attempt::wait));
  CHECK(is(forward(0, 0, 5), 1, attempt::done));  // the source is at its end, but stage 2 is on this IPU too
  CHECK(is(forward(0, 0, 5), 5, attempt::done));
  CHECK(is(forward(0, 2, 5), 2, attempt::wait));
  CHECK(is(forward(1, 3, 5), 2, attempt::wait));
  CHECK(is(forward(1, 1, 5), 1, attempt::done));
  CHECK(is(forward(0, 2, 5), 1, attempt::over));
  CHECK(is(forward(1, 3, 5), 1, attempt::over));
  CHECK(out == std::vector<long>{10000, 10001, 10002});
  CHECK(work.taken() == 3);
  CHECK(work.delivered() == 3);
}

TEST_CASE("the branches of a stage on one IPU are one operation, which waits for each of them") {
  std::vector<std::vector<long>> out;
  auto source = streams::numbers(2);
  auto sink = [&](auto&&... x) { out.push_back(streams::values(x...)); };
  run::impl::stream_work work{streams::fork_last_shared, source, sink, run::depths(2, 1), 1, {}};
  CHECK(is(work.perform(1, {pass::forward, 1, 0}, 1), 0, attempt::wait));
  CHECK(is(work.perform(0, {pass::forward, 0, 0}, 2), 1, attempt::wait));
  CHECK(is(work.perform(1, {pass::forward, 1, 0}, 7), 1, attempt::done));
  work.flush();
  CHECK(out == streams::all_expected(streams::fork_last_shared, 1));
  work.perform(0, {pass::forward, 0, 1}, 2);
  CHECK(is(work.perform(1, {pass::forward, 1, 1}, 1), 1, attempt::done));
  work.flush();
  CHECK(is(work.perform(0, {pass::forward, 0, 2}, 1), 0, attempt::over));
  CHECK(is(work.perform(1, {pass::forward, 1, 2}, 1), 0, attempt::over));
  CHECK(out == streams::all_expected(streams::fork_last_shared, 2));
}

}  // namespace stream_test
