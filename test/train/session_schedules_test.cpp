// SPDX-License-Identifier: BSL-1.0
// What a network learns does not depend on the schedule, on threads, on recomputation or on how blocks are grouped:
// weights and running statistics are equal bit for bit.
#include "small_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>

namespace session_schedules_test {

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
  return schedule::with_schedule(name, asked, [&](const auto& t) { return test::trained(pipeline, t, o, {.count = threads}); });
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
    CHECK(test::trained(test::small_network,
                        schedule::grouped(test::small_network, micro_batches<16>,
                                          {.recompute = schedule::recomputation::automatic}),
                        o, {.count = threads}) == expected());
  }
}

TEST_CASE("with checkpoints: the same weights and running statistics from less memory") {
  constexpr auto deep =
      pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
               block<"a">(nn::conv2d<3, 3>, nn::batch_norm, nn::relu, nn::conv2d<3, 1>, nn::tanh, nn::conv2d<3, 1>,
                          nn::relu, nn::checkpoint, nn::conv2d<3, 1>, nn::batch_norm, nn::tanh, nn::conv2d<3, 1>,
                          nn::relu, nn::conv2d<1, 1>, nn::tanh),
               block<"b">(nn::flatten, nn::linear<8>, nn::tanh, keep<"skip">, nn::dropout<0.25>, nn::relu,
                          nn::linear<8>, nn::tanh, nn::linear<8>, nn::tanh, nn::checkpoint, nn::linear<8>,
                          nn::dropout<0.25>, nn::tanh, nn::linear<8>, nn::tanh, use<"skip">(nn::add)),
               block<"c">(nn::linear<8>, nn::tanh, nn::linear<8>, nn::tanh, nn::checkpoint, use<"skip">(nn::add),
                          nn::linear<8>, nn::tanh, nn::linear<4>, use<"label">(nn::cross_entropy)));
  using schedule::recomputation;
  const auto train = [&](const auto& timetable, std::size_t threads) {
    auto o = test::small_options();
    train::session session{deep, timetable, train::adamw{.rate = 1e-2f}, o, on::threads{.count = threads}};
    const auto learned = test::train_for(session);
    return std::tuple{learned, session.stash_bytes(0), session.stash_bytes(1), session.stash_bytes(2)};
  };
  const auto kept = train(schedule::grouped(deep, micro_batches<12>), 1);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    const auto before =
        train(schedule::grouped(deep, micro_batches<12>, {.recompute = recomputation::automatic}), threads);
    const auto within =
        train(schedule::grouped(deep, micro_batches<12>, {.recompute = recomputation::and_backpropagate}), threads);
    CHECK(std::get<0>(before) == std::get<0>(kept));
    CHECK(std::get<0>(within) == std::get<0>(kept));
    CHECK(2 * std::get<1>(within) < std::get<1>(kept));
    CHECK(std::get<1>(within) < std::get<1>(before));
    CHECK(std::get<2>(within) < std::get<2>(kept));
    if (threads > 1) continue;
    MESSAGE("bytes of stage 0: " << std::get<1>(kept) << ", made again before the backward " << std::get<1>(before)
                                 << ", segment by segment " << std::get<1>(within));
  }
  for (const std::size_t threads : {1u, 2u}) {
    const auto one = train(schedule::sharded(deep, micro_batches<12>, recomputation::automatic), threads);
    CHECK(std::get<0>(one) == std::get<0>(kept));
  }
}

TEST_CASE("the same blocks in two stages") {
  auto o = test::small_options();
  constexpr auto halves = regroup(test::small_network, stage<"a", "b", "c">().ipu<0>(), stage<"d">().ipu<1>());
  CHECK(test::trained(halves, schedule::grouped(halves, micro_batches<16>), o, {.count = 2}) == expected());
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

}  // namespace session_schedules_test
