// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/step_times.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

namespace step_times_test {

using namespace ipuflow;

/// A range whose elements take longer and longer; counts how many were made.
struct slow {
  std::size_t made = 0;
  struct iterator {
    slow* of;
    std::size_t at;
    int operator*() const { return 0; }
    iterator& operator++() { return of->make(), ++at, *this; }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.at != b.at; }
  };
  void make() { std::this_thread::sleep_for(std::chrono::milliseconds{made++ < 3 ? 2 : 30}); }
  iterator begin() { return make(), iterator{this, 0}; }
  iterator end() { return {this, 6}; }
};

TEST_CASE("each element has its time, shared out among its parts, and no more are made than asked for") {
  slow steps;
  const auto times = feed::step_times(steps, 5, 2);
  REQUIRE(times.size() == 10);
  CHECK(steps.made == 5);
  for (std::size_t i = 0; i < 10; i += 2) CHECK(times[i].value == times[i + 1].value);
  for (std::size_t i = 0; i < 6; ++i) CHECK(times[i].value >= 1e-3);
  for (std::size_t i = 6; i < 10; ++i) CHECK(times[i].value >= 15e-3);
  slow few;
  CHECK(feed::step_times(few, 100).size() == 6);
  CHECK_THROWS_WITH((void)feed::step_times(few, 5, 0), "ipuflow: the time of an element is to be shared out among 0 parts; give at least 1");
}

TEST_CASE("drawn times have their mean and deviation, and a seed draws the same again") {
  const auto times = feed::drawn_times(seconds{2.0}, seconds{1.0}, 100'000, 7);
  double sum = 0;
  double squares = 0;
  for (const seconds t : times) {
    CHECK(t.value > 0);
    sum += t.value;
    squares += t.value * t.value;
  }
  const double mean = sum / 100'000;
  CHECK(mean == doctest::Approx(2.0).epsilon(0.01));
  CHECK(std::sqrt(squares / 100'000 - mean * mean) == doctest::Approx(1.0).epsilon(0.03));
  CHECK(feed::drawn_times(seconds{2.0}, seconds{1.0}, 3, 7)[2].value == times[2].value);
  for (const seconds t : feed::drawn_times(seconds{2.0}, seconds{0.0}, 10, 1)) CHECK(t.value == doctest::Approx(2.0));
  CHECK(feed::drawn_times(seconds{}, seconds{}, 2, 1)[1].value == 0);
  CHECK_THROWS_AS((void)feed::drawn_times(seconds{-1.0}, seconds{}, 2, 1), rejected<arithmetic_fault>);
  CHECK_THROWS_AS((void)feed::drawn_times(seconds{1.0}, seconds{std::nan("")}, 2, 1), rejected<arithmetic_fault>);
}

}  // namespace step_times_test
