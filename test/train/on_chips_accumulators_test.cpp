// SPDX-License-Identifier: BSL-1.0
// Gradients that are added up in half, all or those of a group: on chips as on threads, in half of the bytes.
#include "../ipu/said.hpp"
#include "chips_check.hpp"

#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/threads/session_engine.hpp>  // of halves, which ipuflow::compiled has not

#include <cstddef>
#include <cstdint>
#include <limits>

namespace on_chips_accumulators_test {

using namespace ipuflow;
using halves = train::precision<float, float, half>;

namespace {

const auto& grouped() {
  static const schedule::table t = schedule::tabulate(schedule::grouped(test::small_network, micro_batches<8>));
  return t;
}

constexpr train::sgd plain{.rate = 0.05f};

/// The tensors of block "b" in half.
template <class Rule>
auto some_in_half(const Rule& rule) {
  return train::in_groups(rule, train::parameter_group{train::of_block<"b">, rule, train::accumulate_as<half>});
}
/// All in half but those of block "b", with `halves`.
template <class Rule>
auto others_in_half(const Rule& rule) {
  return train::in_groups(rule, train::parameter_group{train::of_block<"b">, rule, train::accumulate_as<float>});
}

template <class Optimiser, class Precision = train::precision<>>
auto on_tiles(const Optimiser& rule, const train::options& o, Precision how = {}, on::chips chips = {}, const schedule::table& t = grouped()) {
  chips.system = test::small_system(t.where.ipus * o.replicas);
  chips.checked = true;
  return train::session{test::small_network, t, rule, o, how, chips};
}

template <class Optimiser, class Precision>
void check(const Optimiser& rule, const train::options& o, Precision how, const on::chips& chips = {}, const schedule::table& t = grouped()) {
  train::session host{test::small_network, t, rule, o, how};
  auto tiles = on_tiles(rule, o, how, chips, t);
  test::check_steps(host, tiles, 2, 1e-3);
}

train::options with(auto change) {
  train::options o = test::small_options(3);
  change(o);
  return o;
}
train::options with() {
  return with([](auto&) {});
}

}  // namespace

TEST_CASE("Sessions on tiles add up in half what sessions on threads do") {
  check(plain, with(), halves{});
  check(some_in_half(plain), with(), train::precision<>{});
  check(others_in_half(plain), with(), halves{});
  check(train::lamb{.rate = 1e-2f, .epsilon = 1e-3f}, with([](auto& o) { o.max_grad_norm = 0.125f; }), halves{});
  check(some_in_half(plain), with([](auto& o) { o.parameters = train::rounding::stochastic; }), train::precision<float, half>{});
}

TEST_CASE("Over replicas, in parts, off the chips and in two directions, too") {
  const on::chips off{.accumulators = run::kept_in::streaming_memory};
  for (const int parts : {0, 1, 2}) {
    check(some_in_half(plain), with([&](auto& o) {
            o.replicas = 2;
            o.shard_optimiser = parts == 1;
            o.shard_gradients = o.shard_weights = parts == 2;
          }),
          train::precision<>{}, parts == 2 ? off : on::chips{});
  }
  check(plain, with(), halves{}, {}, schedule::tabulate(schedule::chimera(schedule::setup{4, 0, 8})));
}

TEST_CASE("A loss scale is taken out of floats: what halves lose with it and without is not lost twice") {
  for (const float norm : {0.125f, std::numeric_limits<float>::infinity()}) {
    check(some_in_half(plain), with([&](auto& o) {
            o.scale = {.factor = 1024, .automatic = true, .patience = 3};
            o.max_grad_norm = norm;
          }),
          train::precision<>{});
  }
  auto o = with([](auto& all) { all.scale.factor = 1024; });
  check(plain, o, halves{});
  o.scale = {.factor = 0x1p24f, .automatic = true};  // more than halves can hold
  auto tiles = on_tiles(plain, o, halves{});
  train::session host{test::small_network, grouped(), plain, o, halves{}};
  const test::made_up data{host.samples_per_step()};
  for (int i = 0; i < 6; ++i) tiles(data), host(data);
  CHECK(tiles.scale().skipped() > 0);
  CHECK(tiles.scale().skipped() == host.scale().skipped());
}

TEST_CASE("Halves differ from floats, by what halves round, and a group alone by what it rounds") {
  const auto learned = [](const auto& rule, auto how) {
    auto s = on_tiles(rule, with([](auto& o) { o.device_iterations = 1; }), how);
    return test::train_for(s, 1).values;
  };
  const auto floats = learned(plain, train::precision<>{});
  const auto group = learned(some_in_half(plain), train::precision<>{});
  for (const train::named_tensor& t : train::named_tensors(test::small_network)) {
    bool same = true;
    for (std::size_t i = t.first; i < t.first + t.count; ++i) same = same && floats[i] == group[i];
    CHECK(same == (t.name[0] != 'b'));
  }
  const double apart = test::farthest(learned(plain, halves{}), floats);
  CHECK(apart > 0);
  CHECK(apart < 1e-3);
}

TEST_CASE("Tiles hold two bytes less for each number, and streaming memory is sent as many less; replicas exchange half") {
  const auto in_block_b = [] {
    std::uint64_t sum = 0;
    for (const train::named_tensor& t : train::named_tensors(test::small_network)) sum += t.name[0] == 'b' ? t.count : 0;
    return sum;
  }();
  const std::uint64_t all = train::impl::offsets_of<std::remove_const_t<decltype(test::small_network)>>.all_values();
  const auto costs = [](const auto& rule, auto how, std::size_t replicas = 1, on::chips chips = {}) {
    return on_tiles(rule, with([&](auto& o) { o.replicas = replicas; }), how, chips).cost();
  };
  const auto kept = [](const run::chips_profile& p) { return p.chips.memory.total(ipu::memory_category::always_live); };
  const auto floats = costs(plain, train::precision<>{});
  CHECK(kept(floats) - kept(costs(plain, halves{})) == 2 * all);
  CHECK(kept(floats) - kept(costs(some_in_half(plain), train::precision<>{})) == 2 * in_block_b);
  CHECK(kept(floats) - kept(costs(others_in_half(plain), halves{})) == 2 * (all - in_block_b));

  const on::chips off{.accumulators = run::kept_in::streaming_memory};
  const auto streamed = [](const run::chips_profile& p) {
    std::uint64_t sum = 0;
    for (const ipu::chip_profile& c : p.chips.chips) sum += c.moved.streaming_in;
    return sum;
  };
  CHECK(2 * streamed(costs(plain, halves{}, 1, off)) == streamed(costs(plain, train::precision<>{}, 1, off)));

  const auto between = [](const run::chips_profile& p, const run::chips_profile& alone) {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < p.chips.chips.size(); ++c) sum += p.chips.chips[c].moved.chip_out - alone.chips.chips[c].moved.chip_out;
    return sum;
  };
  const std::uint64_t state = 2 * sizeof(float) * 3;  // of the batch norm, which is averaged
  const std::uint64_t iterations = with().device_iterations;
  CHECK(between(costs(plain, train::precision<>{}, 2), floats) == iterations * (4 * all + state));
  CHECK(between(costs(plain, halves{}, 2), floats) == iterations * (2 * all + state));
}

TEST_CASE("Doubles are for threads") {
  const auto rule = train::in_groups(plain, train::parameter_group{train::biases, plain, train::accumulate_as<double>});
  train::session host{test::small_network, grouped(), rule, with()};
  train::session floats{test::small_network, grouped(), plain, with()};
  CHECK(test::farthest(test::train_for(host).values, test::train_for(floats).values) < 1e-6);
  CHECK(said_by([&] { on_tiles(rule, with()); }) ==
        "ipuflow: tiles have no doubles to add gradients up in, but a group asks for them; say accumulate_as<float> or <half>");
}

}  // namespace on_chips_accumulators_test
