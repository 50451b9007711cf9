// SPDX-License-Identifier: BSL-1.0
// A walk merges its streams by step, and in a step by pass.
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/modular_walk.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace modular_walk_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("any streams come out sorted and complete, however late their steps") {
  unsigned state = 7;
  const auto random = [&](unsigned below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; };
  for (int round = 0; round < 50; ++round) {
    dynamic_array<pass_stream> streams;
    std::vector<std::size_t> expected;
    const unsigned count = 1 + random(9);
    const step_number slow = round % 2 == 0 ? 1 : step_number{1} << 46;  // as for 2^40 micro-batches on hundreds of chunks
    for (unsigned i = 0; i < count; ++i) {
      part p;
      p.assign(random(3), random(20), 1 + random(3));
      const line l{
          who::everyone, slow * number(30 + random(9)), 0, 0, slow, slow * (p.group == 1 && random(4) == 0 ? -1 : 4)};
      streams.push_back(stream_of(p, l, pass::forward, i, 64, 0));
      for (std::size_t m = 0; m < p.micro_batches; ++m) {
        expected.push_back(static_cast<std::size_t>(l.at + l.per_group * number(m / p.group) + slow * number(m % p.group)));
      }
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::size_t> walked;
    for (modular_walk<grid> w{grid{1, 64, 32}, streams}; w; ++w) walked.push_back(w->step);
    CHECK(walked == expected);
    for (modular_walk<grid> w{grid{1, 64, 32}, streams}; w;) {
      const placed first = *w;
      const std::size_t repeats = w.repeats();
      REQUIRE(repeats > 0);
      for (std::size_t i = 0; i < repeats; ++i, ++w) {
        REQUIRE(w);
        CHECK(w->stage == first.stage);
        CHECK(w->micro_batch == first.micro_batch + i);
      }
    }
  }
}

TEST_CASE("a stream that runs backwards numbers its micro-batches downwards") {
  part p;
  p.assign(0, 3, 1);
  dynamic_array<pass_stream> streams;
  streams.push_back(stream_of(p, {who::everyone, 9, 0, 0, 0, -2}, pass::backward, 0, 1, 0));
  modular_walk<grid> w{grid{1, 1, 3}, streams};
  for (std::size_t m = 3; m-- > 0; ++w) {
    REQUIRE(w);
    CHECK(w->micro_batch == m);
    CHECK(w->step == 9 - 2 * m);
  }
  CHECK_FALSE(w);
}

}  // namespace modular_walk_test
