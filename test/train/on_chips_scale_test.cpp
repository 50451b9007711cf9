// SPDX-License-Identifier: BSL-1.0
// A loss scale that follows overflows does on tiles what it does on threads: the same updates are skipped, the factor is the
// same after each step, and so is what was learned.
#include "chips_check.hpp"

#include <ipuflow/train/optimisers/lamb.hpp>

#include <limits>

namespace on_chips_scale_test {

using namespace ipuflow;

namespace {

constexpr float unlimited = std::numeric_limits<float>::infinity();

train::options following(float factor) {
  train::options o = test::small_options(3);
  o.scale = {.factor = factor, .automatic = true, .patience = 3};
  o.device_iterations = 8;
  o.gradients = train::reduction::sum;
  return o;
}

/// How many updates are skipped.
template <class P, class T, class Optimiser>
std::size_t skipped(const P& pipeline, const T& timetable, const train::options& o, const Optimiser& optimiser, double tolerance = 2e-5,
                    on::chips chips = {}) {
  const schedule::table t = schedule::tabulate(timetable);
  chips.system = test::small_system(t.where.ipus * o.replicas);
  chips.checked = true;
  train::session host{pipeline, t, optimiser, o};
  train::session tiles{pipeline, t, optimiser, o, chips};
  CHECK(tiles.scale().factor() == o.scale.factor);
  test::check_steps(host, tiles, 2, tolerance);
  CHECK(tiles.scale().factor() == host.scale().factor());
  CHECK(tiles.scale().skipped() == host.scale().skipped());
  CHECK(tiles.scale().good() == host.scale().good());
  return tiles.scale().skipped();
}

constexpr train::adamw adam{.rate = 1e-3f, .epsilon = 1e-3f};
constexpr auto sharded = schedule::sharded(test::small_network, micro_batches<8>);

}  // namespace

TEST_CASE("floats overflow at the end of their range; replicas, shards and a limit to the length of gradients see the same") {
  for (const bool shards : {false, true}) {
    for (const float norm : {0.125f, unlimited}) {
      train::options o = following(0x1.8p+127f);
      o.max_grad_norm = norm;
      o.replicas = shards ? 2 : 1;
      o.shard_optimiser = shards;
      CHECK(skipped(test::small_network, sharded, o, adam) > 0);
    }
  }
  CHECK(skipped(test::small_network, sharded, following(8), adam) == 0);
}

TEST_CASE("halves overflow sooner") {
  constexpr auto coarse = pipeline(
      input<half, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::conv2d<3, 3>, nn::relu),
      block<"b">(nn::flatten, nn::linear<8>, nn::tanh), block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  CHECK(skipped(coarse, schedule::sharded(coarse, micro_batches<8>), following(0x1p+20f), adam, 1e-2) > 4);
}

TEST_CASE("whatever the optimiser, the schedule, and where tensors are kept") {
  const train::options o = following(0x1.8p+127f);
  CHECK(skipped(test::small_network, sharded, o, train::lamb{.rate = 1e-3f, .epsilon = 1e-3f}) > 0);
  CHECK(skipped(test::small_network, schedule::chimera(schedule::setup{4, 0, 8}), o, adam) > 0);
  CHECK(skipped(test::small_network, schedule::phased({1, 4, 8}, {.live = schedule::liveness::off_chip_after_each_phase}), o, adam) > 0);
}

TEST_CASE("a last stage that learns nothing has the factor, too") {
  constexpr auto bare = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                 block<"a">(nn::flatten, nn::linear<8>, nn::tanh, nn::linear<4>), block<"b">(use<"label">(nn::cross_entropy)));
  CHECK(skipped(bare, schedule::sharded(bare, micro_batches<8>), following(0x1.8p+127f), adam) > 0);
}

TEST_CASE("a step that fails leaves the scale as it was") {
  train::session s{test::small_network, sharded, adam, following(0x1.8p+127f), on::chips{.system = test::small_system(4)}};
  train::session unharmed{test::small_network, sharded, adam, following(0x1.8p+127f), on::chips{.system = test::small_system(4)}};
  const test::made_up good{s.samples_per_step()};
  test::made_up wrong{s.samples_per_step()};
  const_cast<std::uint8_t&>(wrong.labels()[3]) = 77;  // the test's own data, which nobody else sees
  s(good);
  unharmed(good);
  CHECK_THROWS_AS(s(wrong), error);
  CHECK(s.scale().factor() == unharmed.scale().factor());
  s(good);
  unharmed(good);
  CHECK(s.scale().factor() == unharmed.scale().factor());
  CHECK(s.updates() == unharmed.updates());
  CHECK(*s.parameters() == *unharmed.parameters());
}

}  // namespace on_chips_scale_test
