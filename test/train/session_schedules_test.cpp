// SPDX-License-Identifier: BSL-1.0
// What a network learns does not depend on the schedule, on threads, on recomputation or on how blocks are grouped:
// weights and running statistics are equal bit for bit.
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

using namespace ipuflow;

namespace {

constexpr auto loop = regroup(test::small_network, stage<"a">().ipu<0>(), stage<"b">().ipu<1>(), stage<"c">().ipu<0>(),
                              stage<"d">().ipu<1>());

const train::model<>& expected() {
  static const train::model<> m = test::trained(
      test::small_network, schedule::sequential(test::small_network, micro_batches<16>), test::small_options());
  return m;
}

template <class P>
train::model<> by_name(const P& pipeline, const schedule::setup& asked, const std::string& name, std::size_t threads) {
  auto o = test::small_options();
  o.threads = threads;
  return schedule::with_schedule(name, asked, [&](const auto& t) { return test::trained(pipeline, t, o); });
}

}  // namespace

TEST_CASE("every schedule of one direction, on any number of threads") {
  const schedule::setup asked = schedule::setup_of(test::small_network, 16);
  for (const std::string name :
       {"sequential", "sharded", "grouped", "interleaved", "phased", "gpipe", "1f1b", "eager_1f1b", "zb1p", "zb2p"}) {
    for (const std::size_t threads : {1u, 2u, 4u, 8u}) {
      CAPTURE(name);
      CAPTURE(threads);
      CHECK(by_name(test::small_network, asked, name, threads) == expected());
    }
  }
}

TEST_CASE("several stages on an IPU") {
  const schedule::setup asked{2, 2, 16};
  for (const std::string name : {"interleaved_1f1b", "zbv", "v_half", "v_min", "dualpipev"}) {
    CAPTURE(name);
    CHECK(by_name(loop, asked, name, 2) == expected());
  }
}

TEST_CASE("with activations recomputed") {
  auto o = test::small_options();
  for (const std::size_t threads : {1u, 2u, 4u}) {
    o.threads = threads;
    CHECK(test::trained(test::small_network,
                        schedule::grouped(test::small_network, micro_batches<16>, {.recompute = schedule::recomputation::automatic}),
                        o) == expected());
  }
}

TEST_CASE("the same blocks in two stages") {
  auto o = test::small_options();
  o.threads = 2;
  constexpr auto halves = regroup(test::small_network, stage<"a", "b", "c">().ipu<0>(), stage<"d">().ipu<1>());
  CHECK(test::trained(halves, schedule::grouped(halves, micro_batches<16>), o) == expected());
}

TEST_CASE(
    "schedules whose backward passes come in another order: nearly the same, and the same on any number of threads") {
  const auto check = [](const auto& pipeline, const schedule::setup& asked, const char* name) {
    const auto found = by_name(pipeline, asked, name, 1);
    for (const std::size_t threads : {2u, 4u}) CHECK(by_name(pipeline, asked, name, threads) == found);
    double apart = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      apart = std::max(apart, std::abs(static_cast<double>(found.values[i] - expected().values[i])));
    }
    CAPTURE(std::string{name});
    CHECK(apart < 1e-2);
    CHECK(apart > 0);
  };
  check(test::small_network, {4, 0, 16}, "dualpipe");  // in two directions
  check(test::small_network, {4, 0, 16}, "chimera");
  check(loop, {2, 2, 16}, "looped_bfs");  // the last micro-batch first
}
