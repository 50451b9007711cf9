// SPDX-License-Identifier: BSL-1.0
// test::check_on_chips compares the gradients of every session on chips with those on threads. Here are the options that leave
// them elsewhere, or as each replica added them up.
#include <ipuflow/train/chips/gradients.hpp>

#include <ipuflow/report/distribution.hpp>

#include "chips_check.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

namespace chips_gradients_test {

using namespace ipuflow;

TEST_CASE("gradients are those that the optimiser got, wherever they are kept, however short they have to be") {
  constexpr float any = std::numeric_limits<float>::infinity();
  for (const float most : {any, 0.05f}) {
    for (const auto accumulators : {run::kept_in::tiles, run::kept_in::streaming_memory}) {
      for (const bool shards : {false, true}) {
        for (const bool automatic : {false, true}) {
          CAPTURE(most);
          CAPTURE(shards);
          CAPTURE(automatic);
          train::options o = test::small_options(2);
          o.replicas = shards ? 2 : 1;
          o.shard_optimiser = shards;
          o.shard_at_least = shards ? 20 : 0;  // some of the tensors
          o.max_grad_norm = most;
          o.scale = {.factor = 256, .automatic = automatic, .patience = 3};
          test::check_on_chips(test::small_network, schedule::grouped(test::small_network, micro_batches<8>), o,
                               {.accumulators = accumulators});
          if (!shards) test::check_on_chips(test::small_network, schedule::chimera(schedule::setup{4, 0, 8}), o, {.accumulators = accumulators});
        }
      }
    }
  }
}

namespace {

enum class sharded : unsigned char { nothing, state, gradients, weights, all };

train::options with(sharded what, std::size_t replicas, float most, bool automatic) {
  train::options o = test::small_options(2);
  o.device_iterations = 1;
  o.replicas = replicas;
  o.shard_optimiser = what == sharded::state;
  o.shard_gradients = what == sharded::gradients || what == sharded::all;
  o.shard_weights = what == sharded::weights || what == sharded::all;
  o.shard_at_least = what == sharded::nothing ? 0 : 20;  // some of the tensors; not all of them are a multiple of two or three
  o.max_grad_norm = most;
  o.scale = {.factor = 256, .automatic = automatic, .patience = 3};
  return o;
}

/// The farthest that gradients are apart, in parts of the greatest, after each of two steps.
template <class Optimiser>
double apart(const Optimiser& rule, const train::options& o, const schedule::table& t, run::kept_in accumulators) {
  train::session host{test::small_network, t, rule, o};
  train::session tiles{test::small_network, t, rule, o,
                       on::chips{.system = test::small_system(t.where.ipus * o.replicas), .accumulators = accumulators, .checked = true}};
  double most = 0;
  for (int i = 0; i < 2; ++i) {
    const test::made_up data{host.samples_per_step()};
    host(data), tiles(data);
    double greatest = 0;
    for (const float g : host.gradients()) greatest = std::fmax(greatest, std::fabs(static_cast<double>(g)));
    REQUIRE(greatest > 0);
    for (std::size_t g = 0; g < host.gradients().size(); ++g) {
      const double difference = static_cast<double>(tiles.gradients()[g]) - static_cast<double>(host.gradients()[g]);
      most = std::isfinite(difference) ? std::fmax(most, std::fabs(difference) / greatest) : INFINITY;
    }
  }
  return most;
}

constexpr train::sgd plain{.rate = 0.05f};
/// Block "b" has the largest tensors; what is left of halves stands beside what is left of floats.
constexpr auto some_in_half = train::in_groups(plain, train::parameter_group{train::of_block<"b">, plain, train::accumulate_as<half>});

/// With each limit of the length, each kind of scale, in each memory.
void check_everywhere(sharded what, std::size_t replicas, const schedule::table& t) {
  for (const float most : {std::numeric_limits<float>::infinity(), 0.05f}) {
    for (const bool automatic : {false, true}) {
      for (const auto accumulators : {run::kept_in::tiles, run::kept_in::streaming_memory}) {
        CAPTURE(static_cast<int>(what));
        CAPTURE(replicas);
        CAPTURE(most);
        CAPTURE(automatic);
        CAPTURE(static_cast<int>(accumulators));
        const train::options o = with(what, replicas, most, automatic);
        CHECK(apart(plain, o, t, accumulators) < 2e-5);
        CHECK(apart(some_in_half, o, t, accumulators) < 2e-3);
      }
    }
  }
}

const schedule::table& grouped() {
  static const schedule::table t = schedule::tabulate(schedule::grouped(test::small_network, micro_batches<8>));
  return t;
}

}  // namespace

TEST_CASE("parts of replicas are joined, sums of each are added up, and so are halves that were widened before they were changed") {
  for (const std::size_t replicas : {2u, 3u}) {
    for (const sharded what : {sharded::state, sharded::gradients, sharded::weights, sharded::all})
      check_everywhere(what, replicas, grouped());
  }
}

TEST_CASE("halves of one replica, of replicas that share nothing out, and of two directions") {
  check_everywhere(sharded::nothing, 1, grouped());
  check_everywhere(sharded::nothing, 2, grouped());
  const auto both_ways = schedule::tabulate(schedule::chimera(schedule::setup{4, 0, 8}));
  check_everywhere(sharded::nothing, 1, both_ways);
  check_everywhere(sharded::all, 2, both_ways);
}

TEST_CASE("there are as many as the model has numbers, zeros before the first step, none where nothing is learned") {
  const auto t = schedule::grouped(test::small_network, micro_batches<8>);
  train::session s{test::small_network, t, train::sgd{}, test::small_options(2), on::chips{.system = test::small_system(4)}};
  CHECK(test::floats(s.gradients()) == std::vector<float>(s.parameters()->values.size(), 0));
  CHECK(report::distribution_of(s.gradients()).zeros == s.gradients().size());
  s(test::made_up{s.samples_per_step()});
  const report::distribution seen = report::distribution_of(s.gradients());
  CHECK(seen.zeros < seen.count / 2);
  CHECK(seen.not_finite == 0);
  const auto forwards = schedule::inference(test::small_network, micro_batches<4>);
  const auto used = train::inference(test::small_network, forwards, s.parameters(), test::small_options(2),
                                     on::chips{.system = test::small_system(4)});
  CHECK(used.gradients().empty());
}

}  // namespace chips_gradients_test
