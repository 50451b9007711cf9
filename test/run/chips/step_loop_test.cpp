// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/step_loop.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace step_loop_test {

using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

using sequence = std::vector<std::uint32_t>;

sequence unfolded(const sequence& steps, const std::vector<stretch>& parts) {
  sequence made;
  for (const stretch& s : parts) {
    for (std::size_t r = 0; r < s.repeats; ++r)
      for (std::size_t i = 0; i < s.body; ++i) made.push_back(steps[s.begin + i]);
  }
  return made;
}

sequence times(std::size_t count, const sequence& body) {
  sequence made;
  for (std::size_t i = 0; i < count; ++i) made.insert(made.end(), body.begin(), body.end());
  return made;
}

sequence operator+(sequence a, const sequence& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("any sequence is what its stretches unfold to") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    sequence steps;
    for (std::size_t part = 0; part < 1 + random() % 4; ++part) {
      sequence body;
      for (std::size_t i = 0; i < 1 + random() % 4; ++i) body.push_back(static_cast<std::uint32_t>(random() % 3));
      steps = steps + times(1 + random() % 9, body);
    }
    CHECK(unfolded(steps, fold(steps)) == steps);
  }
}

TEST_CASE("a loop is found between ramps, whole, however long it is") {
  for (const std::size_t repeats : {3u, 50u, 100'000u}) {
    for (const sequence& body : {sequence{7}, sequence{7, 8}, sequence{7, 7, 8, 9, 7}}) {
      const sequence steps = sequence{1, 2, 3} + times(repeats, body) + sequence{4, 5};
      CHECK(fold(steps) ==
            std::vector<stretch>{{0, 3, 1}, {3, body.size(), repeats}, {3 + repeats * body.size(), 2, 1}});
    }
  }
}

TEST_CASE("two loops, one after the other, are two") {
  const sequence steps = times(40, {1}) + times(30, {2, 3});
  CHECK(fold(steps) == std::vector<stretch>{{0, 1, 40}, {40, 2, 30}});
  CHECK(fold(sequence{}).empty());
  CHECK(fold(sequence{1, 1}) == std::vector<stretch>{{0, 2, 1}});
}

}  // namespace step_loop_test
