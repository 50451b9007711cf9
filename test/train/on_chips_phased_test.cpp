// SPDX-License-Identifier: BSL-1.0
// Phases on chips. What leaves the chip changes nothing that is learned, but the memory that tiles need, the bytes that are
// streamed, and the time.
#include "chips_check.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace on_chips_phased_test {

using namespace ipuflow;
using run::kept_in;
using schedule::liveness;
using enum schedule::liveness;

namespace {

constexpr std::size_t count = 6;  // micro-batches of a run
constexpr std::size_t side = 64;
constexpr liveness leaving[] = {off_chip_after_forward, off_chip_after_forward_no_overlap, off_chip_after_each_phase};

constexpr auto wide = pipeline(input<float, 36>, per_sample<"label", std::uint8_t>,
                               block<"a">(nn::linear<side>, nn::tanh), block<"b">(nn::linear<side>, nn::tanh),
                               block<"c">(nn::linear<side>, nn::tanh),
                               block<"d">(nn::linear<4>, use<"label">(nn::cross_entropy)));

/// The second stage is on two chips.
constexpr auto forked = pipeline(
    input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::flatten, nn::linear<6>, nn::tanh)).ipu<0>(),
    concurrent(stage(block<"left">(nn::linear<5>, nn::tanh)).ipu<1>(), stage(block<"right">(nn::linear<5>, nn::gelu)).ipu<3>()),
    stage(block<"out">(nn::add, nn::linear<4>, use<"label">(nn::cross_entropy))).ipu<2>());

/// Four stages on so many chips.
auto phases(liveness live, std::size_t ipus, mode run_for = mode::training) {
  return schedule::tabulate(schedule::phased({ipus, 4 / ipus, count, run_for}, {.live = live}));
}

run::chips_profile cost(liveness live, std::size_t ipus, on::chips where = {}, std::size_t runs = 1, std::size_t tiles = 32) {
  train::options o = test::small_options(4);
  o.device_iterations = runs;
  where.system = test::small_system(ipus, tiles);
  where.system.transfer_start = {};  // messages have a few bytes here, and those to streaming memory have no fixed time
  return train::session{wide, phases(live, ipus), train::adamw{}, o, where}.cost();
}

std::uint64_t loaded(const run::chips_profile& p) {
  std::uint64_t sum = 0;
  for (const ipu::chip_profile& c : p.chips.chips) sum += c.moved.streaming_in;
  return sum;
}
std::uint64_t stored(const run::chips_profile& p) {
  std::uint64_t sum = 0;
  for (const ipu::chip_profile& c : p.chips.chips) sum += c.moved.streaming_out;
  return sum;
}
std::uint64_t variables(const run::chips_profile& p) {
  return p.chips.memory.total(ipu::memory_category::always_live) + p.chips.memory.total(ipu::memory_category::not_always_live);
}
std::size_t fullest(const run::chips_profile& p) { return p.chips.memory.tiles[p.chips.memory.fullest].total(); }

constexpr std::uint64_t first = (36 * side + side) * sizeof(float);
constexpr std::uint64_t hidden = (side * side + side) * sizeof(float);  // bytes of a block's parameters
constexpr std::uint64_t last = (side * 4 + 4) * sizeof(float);
constexpr on::chips only(kept_in on::chips::* kind) {
  on::chips made{.activations = kept_in::tiles, .weights = kept_in::tiles, .optimiser_state = kept_in::tiles, .accumulators = kept_in::tiles};
  made.*kind = kept_in::as_scheduled;
  return made;
}

template <class P, class T>
train::model<float> learned(const P& pipeline, const T& t, on::chips where = {}) {
  train::options o = test::small_options(3);
  where.system = test::small_system(t.where.ipus);
  where.checked = true;
  train::session tiles{pipeline, t, train::adamw{.rate = 1e-2f}, o, where};
  const auto model = test::train_for(tiles);
  CHECK(tiles.profile().chips == tiles.cost().chips);
  return model;
}

}  // namespace

TEST_CASE("a phased session learns what a sharded one does, bit for bit, whatever leaves the chip") {
  for (const std::size_t ipus : {1u, 2u, 4u}) {
    CAPTURE(ipus);
    const auto sharded = learned(test::small_network, schedule::tabulate(schedule::sharded(schedule::setup{ipus, 4 / ipus, count})));
    CHECK(learned(test::small_network, phases(always_live, ipus)) == sharded);
    for (const liveness live : leaving) {
      CHECK(learned(test::small_network, phases(live, ipus)) == sharded);
      CHECK(learned(test::small_network, phases(live, ipus), {.weights = kept_in::tiles}) == sharded);
      CHECK(learned(test::small_network, phases(live, ipus), {.activations = kept_in::tiles}) == sharded);
    }
  }
  const auto one = learned(test::small_network, schedule::tabulate(schedule::sharded(schedule::setup{1, 4, count})), {.io_tiles = 4});
  for (const liveness live : leaving) CHECK(learned(test::small_network, phases(live, 1), {.io_tiles = 4}) == one);
}

TEST_CASE("a phase may be on several chips: concurrent stages learn what sharded ones do") {
  constexpr auto sharded = schedule::sharded(forked, micro_batches<count>);
  const auto wanted = learned(forked, schedule::tabulate(sharded));
  for (const liveness live : leaving)
    CHECK(learned(forked, schedule::tabulate(schedule::phased(forked, micro_batches<count>, {.live = live}))) == wanted);
}

TEST_CASE("what leaves is loaded and stored as often as phases need it, not once more") {
  constexpr std::uint64_t parameters = first + 2 * hidden + last;
  for (const liveness live : leaving) {
    for (const std::size_t runs : {1u, 3u}) {
      CAPTURE(runs);
      const auto weights = cost(live, 1, only(&on::chips::weights), runs);  // backward reads no biases, the first no weights
      const std::uint64_t read_back = 2 * side * side * sizeof(float) + side * 4 * sizeof(float);
      CHECK(loaded(weights) == runs * (count * (parameters + read_back) + parameters));
      CHECK(stored(weights) == runs * parameters);
      const auto sums = cost(live, 1, only(&on::chips::accumulators), runs);
      CHECK(loaded(sums) == runs * (count + 1) * parameters);
      CHECK(stored(sums) == runs * (count + 1) * parameters);
      const auto state = cost(live, 1, only(&on::chips::optimiser_state), runs);
      CHECK(loaded(state) == runs * 2 * parameters);
      CHECK(stored(state) == runs * 2 * parameters);
      const auto values = cost(live, 1, only(&on::chips::activations), runs);
      CHECK(loaded(values) == stored(values));
    }
  }
  const auto values = cost(off_chip_after_forward_no_overlap, 1, only(&on::chips::activations));
  const auto all_values = cost(off_chip_after_each_phase, 1, only(&on::chips::activations));
  const std::uint64_t handed_on = 4 * (2 * side + 1) * sizeof(float);  // of 4 samples: values, gradients, labels
  CHECK(stored(all_values) - stored(values) == count * 3 * handed_on);
  CHECK(loaded(cost(always_live, 1)) == 0);
}

TEST_CASE("the bytes of streaming memory take the time that its bandwidth says, beside a sync each") {
  const on::chips where = only(&on::chips::optimiser_state);
  const auto away = cost(off_chip_after_forward_no_overlap, 1, where);
  const ipu::chip_system system = test::small_system(1);
  const std::uint64_t bytes = loaded(away) + stored(away);
  const std::size_t transfers = 4 * 2 * 2;  // of four blocks' weights and biases, there and back
  const double cycles = static_cast<double>(bytes) / system.streaming_bandwidth * system.chip.clock.value;
  const double took = static_cast<double>(away.chips.chips[0][ipu::phase::streaming].value);
  CHECK(took == doctest::Approx(cycles + static_cast<double>(transfers * system.chip.sync.value)).epsilon(1e-3));
  CHECK(cost(always_live, 1).chips.total + away.chips.chips[0][ipu::phase::streaming] <= away.chips.total);
}

TEST_CASE("tiles need less memory the more leaves them, and transfers take the time for it") {
  for (const std::size_t ipus : {1u, 2u}) {
    CAPTURE(ipus);
    const auto live = cost(always_live, ipus), beside = cost(off_chip_after_forward, ipus);
    const auto apart = cost(off_chip_after_forward_no_overlap, ipus), each = cost(off_chip_after_each_phase, ipus);
    CHECK(fullest(live) > fullest(beside));
    CHECK(fullest(beside) >= fullest(apart));
    CHECK(variables(live) > variables(beside));
    CHECK(variables(beside) >= variables(apart));
    CHECK(variables(apart) >= variables(each));
    CHECK(live.chips.total < beside.chips.total);
    CHECK(apart.chips.total < each.chips.total);
  }
}

TEST_CASE("one group of chips loads while the other computes; on one chip I/O tiles do") {
  CHECK(cost(off_chip_after_forward, 2).chips.total < cost(off_chip_after_forward_no_overlap, 2).chips.total);
  CHECK(cost(off_chip_after_forward, 1).chips.total == cost(off_chip_after_forward_no_overlap, 1).chips.total);
  const on::chips io{.io_tiles = 8};
  const auto beside = cost(off_chip_after_forward, 1, io), apart = cost(off_chip_after_forward_no_overlap, 1, io);
  CHECK(beside.chips.total < apart.chips.total);
  CHECK(variables(beside) > variables(apart));  // what is on its way stands on the I/O tiles
}

TEST_CASE("a network that is too large for a chip trains there if its tensors leave") {
  const auto said = [](liveness live) {
    train::options o = test::small_options(4);
    ipu::chip_system system = test::small_system(1);
    system.chip.tile_memory = bytes{(fullest(cost(always_live, 1)) + fullest(cost(off_chip_after_forward, 1))) / 2};
    try {
      train::session s{wide, phases(live, 1), train::adamw{}, o, on::chips{.system = system}};
      s(test::made_up{s.samples_per_step()});
      return std::string{"trained"};
    } catch (const error& e) {
      return std::string{e.what()};
    }
  };
  CHECK(said(always_live).find("out of memory") != std::string::npos);
  for (const liveness live : leaving) CHECK(said(live) == "trained");
}

TEST_CASE("tensors that are sent off the chip cannot all be kept there") {
  const on::chips kept{.activations = kept_in::tiles, .weights = kept_in::tiles, .optimiser_state = kept_in::tiles, .accumulators = kept_in::tiles};
  CHECK_NOTHROW(cost(always_live, 1, kept));
  for (const liveness live : leaving) CHECK_THROWS_WITH_AS(cost(live, 1, kept), doctest::Contains("take liveness::always_live"), error);
}

}  // namespace on_chips_phased_test
