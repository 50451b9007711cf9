// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/host_queue.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace host_queue_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

constexpr hertz clock{1};  // so that seconds are cycles
constexpr seconds cycles_of(double n) { return {n}; }
constexpr seconds ns(double n) { return {n * 1e-9}; }

/// What a chip that takes an item each `gap` needs for `items` of them.
std::uint64_t time_of(const data_stream& s, std::uint64_t gap, std::size_t items, bool gives = false) {
  ipu::impl::host_queue host{s, host_queue_test::clock};
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < items; ++i) {
    now += gives ? gap : 0;
    now += gives ? host.give(now) : host.take(now);
    now += gives ? 0 : gap;
  }
  return now;
}

TEST_CASE("a host and a chip with a queue between them take the longer time for each item, without one both") {
  for (const std::uint64_t gap : {100u, 250u, 900u}) {
    for (const std::uint64_t host : {0u, 1u, 99u, 250u, 251u, 2000u}) {
      data_stream s{.name = {}, .prefetch = 0, .host_time = cycles_of(static_cast<double>(host))};
      CHECK(time_of(s, gap, 50) == 50 * (gap + host));
      CHECK(time_of(s, gap, 50, true) == 50 * (gap + host));
      for (s.prefetch = 1; s.prefetch <= 8; ++s.prefetch) {
        CHECK(time_of(s, gap, 50) == host + 49 * std::max(host, gap) + gap);
        const std::size_t free = std::min<std::size_t>(s.prefetch, 49);  // results that may wait
        const std::uint64_t all = 50 * std::max(host, gap);
        CHECK(time_of(s, gap, 50, true) <= all);
        CHECK(time_of(s, gap, 50, true) >= all - free * std::max(host, gap));
      }
    }
  }
}

TEST_CASE("times of a host that differ are made up for by a deep queue, up to what they are on the average") {
  data_stream s{.name = {}, .prefetch = 1, .host_times = {cycles_of(10), cycles_of(10), cycles_of(10), cycles_of(370)}};  // 100 each on the average
  const std::uint64_t shallow = time_of(s, 100, 400);
  s.prefetch = 8;
  const std::uint64_t deep = time_of(s, 100, 400);
  CHECK(deep < shallow);
  CHECK(deep >= 400 * 100);
  CHECK(deep <= 400 * 100 + 400);  // and the first time round
  CHECK(shallow >= 100 * (370 + 3 * 100));
}

/// Whether activities lie one behind the other within `length`, loops with all their turns; counts those that are labelled.
bool in_their_place(const ipuflow::light_vector<activity>& all, cycles length, std::uint64_t& labelled, std::uint64_t times = 1) {
  cycles end{};
  for (const activity& a : all) {
    if (a.begin < end) return false;
    end = a.begin + a.length * a.turns;
    if (a.label != no_label) labelled += a.turns * times;
    if (!in_their_place(a.inside, a.length, labelled, times * a.turns)) return false;
  }
  return end <= length;
}

/// A loop in a loop, each turn fed by one host of two streams and read by another.
struct program {
  graph g{mk2};
  variable_id a = g.add_variable<float>("a", 64, linear(64, 64));
  variable_id b = g.add_variable<float>("b", 64, linear(64, 64));
  stream_id in, beside, out;
  step whole, twice;

  explicit program(std::size_t prefetch, ipuflow::light_vector<seconds> times)
      : in{g.add_stream({.name = name_from("in"), .prefetch = prefetch, .host_times = times, .host = 0})},
        beside{g.add_stream({.name = name_from("beside")})},
        out{g.add_stream({.name = name_from("out"), .prefetch = prefetch, .host_times = times})},
        whole{sequence({repeat(3, sequence({stream_in(beside, b),
                                            repeat(40, sequence({labelled(0, sequence({stream_in(in, a)})), scaled_add(g, a, 1, b), stream_out(a, out),
                                                                 repeat(5, sequence({scaled_add(g, b, 1, a)}))})),
                                            scaled_add(g, a, 1, b), scaled_add(g, b, 1, a)}))})},
        twice{repeat(2, sequence({whole}))} {}
  /// What the hosts bring in one run.
  void feed(engine& e) const {
    for (int i = 0; i < 3; ++i) e.feed<float>(beside, ipuflow::light_vector<float>(64, 1));
    for (int i = 0; i < 120; ++i) e.feed<float>(in, ipuflow::light_vector<float>(64, 1));
  }
};

const ipuflow::light_vector<ipuflow::light_vector<seconds>> host_times{{ns(0)}, {ns(100)}, {ns(5000)}, {ns(9000)}, {ns(12000)}, {ns(1), ns(30000), ns(2)}};

TEST_CASE("times of a host that cycles cannot count are told, alone and added up, in both walks and for a host that goes on") {
  const chip_system all = pod(mk2, 1);
  const double longest = 0x1p64 / mk2.clock.value;
  const auto told = [&](seconds time, std::uint64_t turns, const run_options& options, std::size_t prefetch = 1) {
    graph g{mk2};
    const variable_id v = g.add_variable<float>("v", 8, linear(8, 8));
    const stream_id s = g.add_stream({.name = name_from("s"), .prefetch = prefetch, .host_time = time});
    const step p = repeat(turns, stream_in(s, v));
    return said_by([&] { static_cast<void>(cost(all, g, p, options)); });
  };
  const std::string no_time = "ipuflow: a time is negative or longer than cycles can count; keep it below 2 to the 64 cycles";
  for (const run_options& options : {run_options{}, run_options{.kept = clocks::one_a_chip}, run_options{.host_goes_on = true}}) {
    for (const double time : {1.01 * longest, -1.0, double{NAN}, double{INFINITY}}) CHECK(told({time}, 1, options) == no_time);
    for (const std::size_t prefetch : {0u, 1u, 3u}) {
      CHECK(told({0.1 * longest}, 4, options, prefetch) == "nothing");
      CHECK(told({0.4 * longest}, 3, options, prefetch).find("ipuflow: a count overflows in ") == 0);
      CHECK(told({1e-3 * longest}, 1'000'000, options, prefetch).find("ipuflow: a count overflows in ") == 0);
    }
  }
}

TEST_CASE("loops that are multiplied take what they take turn by turn, for any host and depth") {
  const chip_system all = pod(mk2, 1);
  for (const auto& times : host_times) {
    for (const std::size_t prefetch : {0u, 1u, 2u, 5u}) {
      const program p(prefetch, times);
      const profile counted = cost(all, p.g, p.whole);
      engine e(all, p.g, p.whole);
      p.feed(e);
      const profile metered = e.run();
      CAPTURE(prefetch);
      CAPTURE(times[0].value);
      CHECK(counted.total == metered.total);
      CHECK(counted.chips == metered.chips);
      CHECK(counted.activities == metered.activities);
      std::uint64_t turns = 0;
      CHECK(in_their_place(counted.activities, counted.total, turns));
      CHECK(turns == 120);
    }
  }
}

TEST_CASE("a run whose host goes on takes what the second of two takes, counted and run, by one clock and by those of chips") {
  const chip_system all = pod(mk2, 1);
  for (const auto& times : host_times) {
    for (const std::size_t prefetch : {0u, 1u, 2u, 5u, 200u}) {
      for (const clocks kept : {clocks::one, clocks::one_a_chip}) {
        const program p(prefetch, times);
        const std::uint64_t once = cost(all, p.g, p.whole, {.kept = kept}).total.value;
        const std::uint64_t both = cost(all, p.g, p.twice, {.kept = kept}).total.value;
        const profile counted = cost(all, p.g, p.whole, {.kept = kept, .host_goes_on = true});
        CAPTURE(prefetch);
        CAPTURE(times[0].value);
        CHECK(counted.total.value == both - once);
        engine e(all, p.g, p.whole, {.kept = kept, .host_goes_on = true});
        p.feed(e);
        const profile metered = e.run();
        CHECK(counted.total == metered.total);
        CHECK(counted.chips == metered.chips);
        CHECK(counted.activities == metered.activities);
      }
    }
  }
}

}  // namespace host_queue_test
