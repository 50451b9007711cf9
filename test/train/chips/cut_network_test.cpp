// SPDX-License-Identifier: BSL-1.0
#include "../planning/small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/chips/cut_network.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace cut_network_test {

using namespace planning_test;

namespace {

/// A session whose stages are types, and the same cut while the program runs.
template <class Optimiser>
void check(const Optimiser& optimiser, const train::options& o, const on::chips& where) {
  const auto timetable = schedule::grouped(in_two, micro_batches<8>);
  const train::session session(in_two, timetable, optimiser, o, where);
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}, nn::inputs_enter::in_front};
  const run::chips_profile typed = session.cost();
  const run::chips_profile counted = train::count_step(cut, schedule::tabulate(timetable), optimiser, o, where);
  CHECK(typed.chips.total == counted.chips.total);
  CHECK(typed.chips.chips == counted.chips.chips);
  for (std::size_t t = 0; t < typed.chips.memory.tiles.size(); ++t) {
    REQUIRE(typed.chips.memory.tiles[t].code() == counted.chips.memory.tiles[t].code());
    REQUIRE(typed.chips.memory.tiles[t][ipu::memory_category::always_live] == counted.chips.memory.tiles[t][ipu::memory_category::always_live]);
  }
}

}  // namespace

TEST_CASE("the step of a network that is cut while the program runs is that of a session with these stages") {
  const ipu::chip_system four = ipu::pod(ipu::mk2, 4);
  check(train::sgd{.rate = 0.1f}, {.micro_batch = 3}, {.system = four});
  check(train::adamw{}, {.micro_batch = 3, .device_iterations = 2, .replicas = 2, .max_grad_norm = 1}, {.system = four});
  check(train::lamb{}, {.micro_batch = 3, .replicas = 2, .shard_optimiser = true}, {.system = four, .optimiser_state = run::kept_in::streaming_memory});
}

TEST_CASE("stages are tied by what one of them has copies of, wherever the network is cut") {
  constexpr auto tokens = single_stage(input<std::uint16_t, 8>, block<"a">(nn::embedding<50, 16>), block<"b">(nn::linear<16>), block<"c">(nn::tied<"b[0]">(nn::linear<16>)),
                                       block<"d">(nn::tied<"a[0]">(without_biases(nn::linear<50>))), block<"e">(nn::linear<16>, nn::tied<"a[0]">(without_biases(nn::linear<50>))));
  using stages = light_vector<std::size_t>;
  const nn::network_on_tiles whole(tokens);
  const train::cut_network each{whole, {1, 2, 3, 4}};
  CHECK(each.tied_to(0) == stages{3, 4});
  CHECK(each.tied_to(1) == stages{2});
  CHECK(each.tied_to(2) == stages{1});
  CHECK(each.tied_to(3) == stages{0});
  const train::cut_network two{whole, {3}};
  CHECK(two.tied_to(0) == stages{1});  // once
  CHECK(two.tied_to(1) == stages{0});
  CHECK(train::cut_network{whole}.tied_to(0).empty());
  const schedule::roster where = schedule::tabulate(schedule::one_f_one_b({.ipus = 5, .micro_batches = 5})).where;
  for (std::size_t stage = 0; stage < 5; ++stage) CHECK(train::impl::has_part_in<>(each, where, 3, stage) == (stage == 0 || stage == 3));
}

TEST_CASE("labels go to the chip that reads them") {
  const nn::network_on_tiles whole(network);
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  const auto bytes_in = [&](nn::inputs_enter where) {
    const run::chips_profile seen = train::count_step({whole, {3}, where}, t, train::sgd{}, {.micro_batch = 2}, {});
    return std::pair{seen.chips.chips[0].moved.host_in, seen.chips.chips[1].moved.host_in};
  };
  const std::size_t images = 4 * 2 * 8 * 32 * 4, labels = 4 * 2 * 4;
  CHECK(bytes_in(nn::inputs_enter::in_front) == std::pair<std::uint64_t, std::uint64_t>{images + labels, 0});
  CHECK(bytes_in(nn::inputs_enter::where_read) == std::pair<std::uint64_t, std::uint64_t>{images, labels});
}

TEST_CASE("half weights take half of the bytes") {
  const nn::network_on_tiles whole(network);
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  const auto always = [&](train::number_types numbers) {
    return train::count_step({whole, {3}}, t, train::sgd{}, {.micro_batch = 2}, {}, numbers).chips.memory.total(ipu::memory_category::always_live);
  };
  const std::uint64_t floats = always({}), halves = always({ipu::element_type::f16, ipu::element_type::f16});
  CHECK(floats - halves == 4 * whole.parameters());  // two bytes of each weight, and of the sum of its gradients
}

}  // namespace cut_network_test
