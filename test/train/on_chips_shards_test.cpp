// SPDX-License-Identifier: BSL-1.0
// Weights, gradients and the optimiser's state in parts over replicas, on chips: what is learned stays what it was; bytes on tiles,
// bytes between replicas and the cycles of their exchange follow closed forms.
#include "../ipu/said.hpp"
#include "chips_check.hpp"

#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/threads/session_engine.hpp>  // of halves, which ipuflow::compiled has not

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace on_chips_shards_test {

using namespace ipuflow;
using run::kept_in;

namespace {

enum class sharded : unsigned char { nothing, state, gradients, weights, all };

train::options with(sharded what, std::size_t replicas, auto change) {
  train::options o = test::small_options(3);
  o.replicas = replicas;
  o.shard_optimiser = what == sharded::state;
  o.shard_gradients = what == sharded::gradients || what == sharded::all;
  o.shard_weights = what == sharded::weights || what == sharded::all;
  change(o);
  return o;
}
train::options with(sharded what, std::size_t replicas = 2) {
  return with(what, replicas, [](auto&) {});
}

constexpr sharded in_parts[] = {sharded::gradients, sharded::weights, sharded::all};

const auto& grouped() {
  static const schedule::table t = schedule::tabulate(schedule::grouped(test::small_network, micro_batches<8>));
  return t;
}

template <class P, class T>
train::model<> learned(const P& pipeline, const T& timetable, const train::options& o) {
  train::session s{pipeline, timetable, train::adamw{.rate = 1e-2f}, o, on::chips{.system = test::small_system(timetable.where.ipus * o.replicas)}};
  return test::train_for(s);
}

// Five layers of weights and biases on one chip; the first hands no gradient on, so all others read their weights twice.
constexpr std::size_t side = 63;
constexpr std::size_t micro_batch_count = 4;
constexpr auto deep = single_stage(input<float, side>, per_sample<"label", std::uint8_t>,
                               block<"a">(nn::linear<side>, nn::tanh, nn::linear<side>, nn::tanh, nn::linear<side>, nn::tanh,
                                          nn::linear<side>, nn::tanh, nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr std::size_t sizes[] = {side * side, side, side * side, side, side * side, side, side * side, side, side * 4, 4};

run::chips_profile cost(const train::options& o, on::chips where = {}) {
  where.system = test::small_system(o.replicas);
  where.merge_collectives = false;  // so that each tensor's can be told
  return train::session{deep, schedule::sharded(deep, micro_batches<micro_batch_count>), train::adamw{}, o, where}.cost();
}

/// What the collectives of a step move and take: for each tensor in parts and each that stays whole so many passes of a ring.
struct ring_totals {
  std::uint64_t bytes = 0;
  cycles taken{};
};
template <class Passes>
ring_totals rings(std::size_t replicas, Passes passes) {
  ring_totals sum;
  const ipu::chip_system system = test::small_system(replicas);
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    for (const auto& [elements, times, at_once] : passes(i)) {
      const std::uint64_t size = elements * sizeof(float);
      sum.bytes += times * at_once * (replicas - 1) * size / replicas;
      for (std::size_t t = 0; t < times; ++t) sum.taken += ipu::ring_time(system, {size}, replicas, 1, at_once);
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("Whatever is in parts, on any number of replicas, sessions on tiles learn what those on threads do") {
  for (const std::size_t replicas : {2u, 3u}) {
    for (const sharded what : in_parts) {
      CAPTURE(replicas);
      test::check_on_chips(test::small_network, grouped(), with(what, replicas));
    }
  }
}

TEST_CASE("Layers that normalise samples, recomputation, chips in their own time, and two directions at once") {
  constexpr auto normed = pipeline(
      input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<4, 3>, nn::group_norm<2>, nn::relu),
      block<"b">(nn::flatten, nn::layer_norm, nn::linear<8>, nn::tanh, nn::checkpoint, nn::linear<4>, use<"label">(nn::cross_entropy)));
  const auto o = with(sharded::all);
  test::check_on_chips(normed, schedule::grouped(normed, micro_batches<4>, {.recompute = schedule::recomputation::and_backpropagate}), o);
  test::check_on_chips(test::small_network, schedule::grouped(test::small_network, micro_batches<8>, {.recompute = schedule::recomputation::then_backpropagate}), o);
  test::check_on_chips(test::small_network, schedule::zb1p(test::small_network, micro_batches<8>), o,
                       {.io_tiles = 4, .sync = run::waits_for::neighbours});
  test::check_on_chips(test::small_network, schedule::dualpipe(test::small_network, micro_batches<8>), o);
}

TEST_CASE("Stages of several branches, and halves everywhere") {
  constexpr auto forked = pipeline(
      input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::flatten, nn::linear<6>, nn::tanh)).ipu<0>(),
      concurrent(stage(block<"left">(nn::linear<5>, nn::tanh)).ipu<1>(), stage(block<"right">(nn::linear<5>, nn::gelu)).ipu<3>()),
      stage(block<"out">(nn::add, nn::linear<4>, use<"label">(nn::cross_entropy))).ipu<2>());
  test::check_on_chips(forked, schedule::grouped(forked, micro_batches<6>), with(sharded::all));
  constexpr auto coarse = pipeline(
      input<half, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::relu),
      block<"b">(nn::flatten, nn::linear<7>, nn::tanh), block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  const schedule::table t = schedule::tabulate(schedule::grouped(coarse, micro_batches<6>));
  constexpr train::precision<float, half, half> halves;
  train::session host{coarse, t, train::sgd{.rate = 0.05f}, with(sharded::all), halves};
  train::session tiles{coarse, t, train::sgd{.rate = 0.05f}, with(sharded::all), halves, on::chips{.system = test::small_system(6), .checked = true}};
  test::check_steps(host, tiles, 2, 1e-2);
}

TEST_CASE("Parts off the chips, small tensors whole, lengths limited, optimisers that want whole tensors, a scale that follows") {
  const on::chips off{.weights = kept_in::streaming_memory, .optimiser_state = kept_in::streaming_memory, .accumulators = kept_in::streaming_memory};
  test::check_on_chips(test::small_network, grouped(), with(sharded::all), off);
  const auto limited = with(sharded::all, 2, [](auto& o) {
    o.shard_at_least = 30;
    o.max_grad_norm = 0.125f;
  });
  test::check_on_chips(test::small_network, grouped(), limited);
  test::check_on_chips(test::small_network, grouped(), limited, off, 2e-5, train::lamb{.rate = 1e-2f, .epsilon = 1e-3f});
  test::check_on_chips(test::small_network, grouped(), with(sharded::all, 2, [](auto& o) {
                         o.scale = {.factor = 0x1.8p+127f, .automatic = true, .patience = 3};
                       }));
}

TEST_CASE("Weights in parts change no bit; so do gradients in parts, where the order of sums is the same") {
  const auto& t = grouped();
  CHECK(learned(test::small_network, t, with(sharded::weights)) == learned(test::small_network, t, with(sharded::state)));
  CHECK(learned(test::small_network, t, with(sharded::weights, 3)) == learned(test::small_network, t, with(sharded::nothing, 3)));
  const auto one = schedule::tabulate(schedule::sharded(schedule::setup{4, 0, 1}));  // one micro-batch: sums over replicas alone
  for (const sharded what : in_parts)
    CHECK(learned(test::small_network, one, with(what)) == learned(test::small_network, one, with(sharded::nothing)));
}

TEST_CASE("A model that is used may have its weights in parts, too") {
  const auto o = with(sharded::weights);
  const auto t = schedule::tabulate(schedule::inference(schedule::setup_of(test::small_network, 6, mode::inference)));
  const auto model = std::make_shared<train::model<>>(train::initial_model(test::small_network, 4));
  auto host = train::inference(test::small_network, t, model, o);
  auto tiles = train::inference(test::small_network, t, model, o, on::chips{.system = test::small_system(8), .checked = true});
  const test::made_up data{host.samples_per_step()};
  const auto& wanted = host(data);
  const auto& got = tiles(data);
  for (std::size_t c = 0; c < wanted.size(); ++c) CHECK(test::farthest(got[c].values, wanted[c].values) < 2e-5);
}

TEST_CASE("A replica keeps its part of each tensor, and of another's no more than one layer at a time") {
  using enum ipu::memory_category;
  for (const std::size_t replicas : {2u, 4u}) {
    for (const std::size_t at_least : {std::size_t{0}, std::size_t{100}}) {
      const auto costs = [&](sharded what) {
        return cost(with(what, replicas, [&](auto& o) { o.shard_at_least = what == sharded::nothing ? 0 : at_least; }));
      };
      const auto bytes = [&](sharded what) { return costs(what).chips.memory.total(always_live); };
      std::uint64_t whole = 0, parts = 0, beside = 0;
      for (const std::size_t n : sizes) {
        const bool cut = n >= at_least && n >= replicas;
        const std::size_t part = (n + replicas - 1) / replicas;
        whole += n * sizeof(float);
        parts += (cut ? part : n) * sizeof(float);
        beside += (cut ? part : 0) * sizeof(float);  // of a tensor that stays whole
      }
      const std::uint64_t all_whole = bytes(sharded::nothing);
      CHECK(all_whole - bytes(sharded::state) == 2 * (whole - parts) - beside);
      CHECK(all_whole - bytes(sharded::gradients) == 3 * (whole - parts) - beside);
      CHECK(all_whole - bytes(sharded::weights) == 3 * (whole - parts));
      CHECK(all_whole - bytes(sharded::all) == 4 * (whole - parts));
      const auto most = [](const run::chips_profile& p) {
        return *std::max_element(p.chips.memory.live_by_step.begin(), p.chips.memory.live_by_step.end());
      };
      const std::uint64_t layer = (side * side + side) * sizeof(float);
      CHECK(most(costs(sharded::weights)) <= most(costs(sharded::state)) + 2 * layer);  // what is gathered, and padded
    }
  }
}

TEST_CASE("Bytes between replicas and the cycles they take are those of rings: a share of (R - 1) / R for each gather and scatter") {
  struct use {
    std::size_t elements, times, at_once;
  };
  for (const std::size_t replicas : {2u, 3u, 4u}) {
    for (const std::size_t at_least : {std::size_t{0}, std::size_t{100}}) {
      for (const sharded what : {sharded::nothing, sharded::state, sharded::gradients, sharded::weights, sharded::all}) {
        CAPTURE(replicas);
        CAPTURE(static_cast<int>(what));
        const auto o = with(what, replicas, [&](auto& all) { all.shard_at_least = what == sharded::nothing ? 0 : at_least; });
        const auto wanted = rings(replicas, [&](std::size_t i) -> std::vector<use> {
          const std::size_t n = sizes[i];
          if (what == sharded::nothing || n < at_least) return {{n, 1, 2}};  // one all-reduce
          const std::size_t padded = (n + replicas - 1) / replicas * replicas;
          const bool read_twice = i > 0 && i % 2 == 0;
          const std::size_t gathers = what == sharded::weights || what == sharded::all ? micro_batch_count * (read_twice ? 2 : 1) : 1;
          const std::size_t scatters = what == sharded::gradients || what == sharded::all ? micro_batch_count : 1;
          return {{padded, gathers, 1}, {padded, scatters, 1}};
        });
        const run::chips_profile p = cost(with(what, replicas, [&](auto& all) {
          all = o;
          all.device_iterations = 1;
        }));
        CHECK(p.chips.chips[0].moved.chip_out == wanted.bytes);
        CHECK(p.chips.chips[0].moved.chip_in == wanted.bytes);
        CHECK(p.chips.chips[0][ipu::phase::inter_chip] == wanted.taken);
      }
    }
  }
}

TEST_CASE("Parts in streaming memory: as many bytes less go there and back") {
  const auto streamed = [](sharded what, const on::chips& where) {
    const run::chips_profile p = cost(with(what, 3), where);
    return p.chips.chips[0].moved.streaming_in;
  };
  const on::chips weights{.weights = kept_in::streaming_memory}, sums{.accumulators = kept_in::streaming_memory};
  CHECK(streamed(sharded::weights, weights) < streamed(sharded::state, weights) * 2 / 5);
  CHECK(streamed(sharded::gradients, sums) < streamed(sharded::state, sums) * 2 / 5);
}

TEST_CASE("Where there is nothing to share out, that is said") {
  const auto said = [](const train::options& o) {
    return said_by([&] { train::session{test::small_network, grouped(), train::sgd{}, o}; });
  };
  for (const sharded what : {sharded::state, sharded::gradients, sharded::weights}) {
    CHECK(said(with(what, 1)) ==
          "ipuflow: shard_optimiser, shard_gradients and shard_weights deal numbers out to replicas, but there is one; "
          "set replicas, or leave them out");
  }
  CHECK(said(with(sharded::nothing, 2, [](auto& o) { o.shard_at_least = 30; })) ==
        "ipuflow: shard_at_least is 30 but nothing is sharded; set shard_optimiser, shard_gradients or shard_weights, or leave it out");
}

}  // namespace on_chips_shards_test
