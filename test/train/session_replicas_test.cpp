// SPDX-License-Identifier: BSL-1.0
// Replicas, ways to add up gradients, and loss scales.
#include "small_network.hpp"

#include <ipuflow/train/optimisers/lamb.hpp>

#include <ipuflow/train/threads/session_engine.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace session_replicas_test {

using namespace ipuflow;
using train::reduction;

namespace {

// Without dropout and batch norm, which look at how samples are cut into micro-batches.
constexpr auto plain =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::relu),
             block<"b">(nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy)));

template <std::size_t Count, class Precision = train::precision<>, class Optimiser = train::sgd>
train::model<> learned(train::options o, const Optimiser& optimiser = {.rate = 0.1f}, const on::threads& where = {.count = 1}) {
  auto session = train::session(plain, schedule::grouped(plain, micro_batches<Count>), optimiser, o, Precision{}, where);
  return test::train_for(session, 3);
}

double apart(const train::model<>& a, const train::model<>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(a.values[i] - b.values[i])));
  }
  return most;
}

}  // namespace

TEST_CASE("two replicas are one with twice the micro-batches, on any number of threads") {
  auto o = test::small_options();
  const auto one = learned<8>(o);
  o.replicas = 2;
  const auto two = learned<4>(o);
  CHECK(apart(one, two) < 1e-6);
  for (const std::size_t threads : {2u, 3u, 4u}) {
    CHECK(learned<4>(o, train::sgd{.rate = 0.1f}, {.count = threads}) == two);
  }
}

TEST_CASE("a sum is a mean at a rate that many times larger") {
  auto o = test::small_options();
  for (const std::size_t replicas : {1u, 2u}) {
    o.replicas = replicas;
    o.gradients = reduction::mean;
    const auto mean = learned<4>(o);
    o.gradients = reduction::running_mean;
    CHECK(apart(learned<4>(o), mean) < 1e-6);
    o.gradients = reduction::sum;
    CHECK(apart(learned<4>(o, train::sgd{.rate = 0.1f / static_cast<float>(4 * replicas)}), mean) < 1e-6);
    CHECK(apart(learned<4>(o), mean) > 1e-3);
  }
}

TEST_CASE("a running mean in two directions is the mean of both") {
  auto o = test::small_options();
  const auto with = [&](reduction how) {
    o.gradients = how;
    train::session session{plain, schedule::chimera(plain, micro_batches<8>), train::sgd{.rate = 0.1f}, o,
                           on::threads{.count = 2}};
    return test::train_for(session, 3);
  };
  CHECK(apart(with(reduction::running_mean), with(reduction::mean)) < 1e-6);
}

TEST_CASE("the optimiser's state in shards changes how much each replica keeps, and no weight") {
  auto o = test::small_options();
  o.replicas = 2;
  const auto check = [&](const auto& optimiser) {
    const auto run = [&](bool sharded) {
      o.shard_optimiser = sharded;
      train::session session{plain, schedule::grouped(plain, micro_batches<4>), optimiser, o};
      auto m = test::train_for(session);
      return std::pair{m, session.optimiser_bytes()};
    };
    const auto whole = run(false), sharded = run(true);
    CHECK(whole.first == sharded.first);
    CHECK(sharded.second < whole.second);
    CHECK(sharded.second >= whole.second / 2);
    o.shard_at_least = 20;  // biases stay whole
    const auto some = run(true);
    o.shard_at_least = 1 << 20;
    const auto none = run(true);
    o.shard_at_least = 0;
    CHECK(some.first == whole.first);
    CHECK(some.second >= sharded.second);
    CHECK(some.second < whole.second);
    CHECK(none.second == whole.second);
  };
  check(train::adamw{});
  check(train::lamb{});
}

TEST_CASE("a scale of the loss by a power of two changes nothing") {
  auto o = test::small_options();
  const auto without = learned<4>(o);
  o.scale.factor = 1024;
  CHECK(learned<4>(o) == without);
}

TEST_CASE("an automatic scale skips what overflows, and finds a scale that does not") {
  auto o = test::small_options();
  o.scale = {.factor = 0x1p24f, .automatic = true};  // more than halves can hold
  auto session = train::session(plain, schedule::grouped(plain, micro_batches<4>), train::sgd{.rate = 0.1f}, o,
                                train::precision<half, float>{});
  const auto before = *session.parameters();
  const test::made_up data{session.samples_per_step()};
  for (int i = 0; i < 20; ++i) session(data);
  CHECK(session.scale().skipped() > 0);
  CHECK(session.scale().skipped() + session.updates() == 40);
  CHECK(session.updates() > 0);
  for (const float v : session.parameters()->values) CHECK(std::isfinite(v));
  CHECK(*session.parameters() != before);
}

TEST_CASE("accumulators of their own type") {
  auto o = test::small_options();
  const auto exact = learned<4>(o);
  CHECK(apart(learned<4, train::precision<float, float, double>>(o), exact) < 1e-6);
  const double in_halves = apart(learned<4, train::precision<float, float, half>>(o), exact);
  CHECK(in_halves > 0);
  CHECK(in_halves < 1e-3);
}

}  // namespace session_replicas_test
