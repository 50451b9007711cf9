// SPDX-License-Identifier: BSL-1.0
// Sessions on many chips: replicas are counted once however many there are, their collectives are those of the system, and the
// host brings images beside compute and takes its time to begin a step.
#include "chips_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace on_chips_many_test {

using namespace ipuflow;

namespace {

constexpr auto digits = single_stage(input<std::uint8_t, 1, 28, 28>, per_sample<"label", std::uint8_t>,
                                     block<"a">(nn::normalise<0.1307, 0.3081>, nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu),
                                     block<"b">(nn::flatten, nn::linear<256>, nn::relu, nn::linear<10>, use<"label">(nn::cross_entropy)));

template <std::size_t MicroBatches = 8>
run::chips_profile cost(on::chips where, std::size_t replicas = 1, std::size_t iterations = 1) {
  if (where.system == ipu::chip_system{}) where.system = ipu::pod(ipu::mk2, replicas);
  return train::session{digits, schedule::sharded(digits, micro_batches<MicroBatches>), train::sgd{},
                        {.micro_batch = 16, .device_iterations = iterations, .replicas = replicas}, where}
      .cost();
}

cycles in_phase(const run::chips_profile& p, ipu::phase of) { return p.chips.chips[0][of]; }

/// Bytes of all gradients, in float.
constexpr std::uint64_t gradients = 4 * (10 * 25 + 10 + 256 * 1440 + 256 + 10 * 256 + 10);

}  // namespace

TEST_CASE("4 to 1,024 replicas take what one of four takes, and one collective of all gradients") {
  const run::chips_profile four = cost({}, 4);
  const auto ring = [](std::size_t replicas) { return ipu::ring_time(ipu::pod(ipu::mk2, replicas), {gradients}, replicas, 1, 2); };
  CHECK(in_phase(four, ipu::phase::inter_chip) == ring(4));
  for (const std::size_t replicas : {16u, 64u, 65u, 128u, 1024u}) {
    CAPTURE(replicas);
    const run::chips_profile many = cost({}, replicas);
    CHECK(many.chips.total - ring(replicas) == four.chips.total - ring(4));
    CHECK(many.chips.chips.size() == 1);
    CHECK(many.chips.tile_busy == four.chips.tile_busy);
    CHECK(many.chips.memory.total(ipu::memory_category::always_live) == four.chips.memory.total(ipu::memory_category::always_live));
  }
  CHECK_THROWS_WITH(cost({.system = ipu::pod(ipu::mk2, 64)}, 65),
                    "ipuflow: a program of 65 replicas needs 65 chips but the system has 64; use a larger system or fewer replicas");
}

TEST_CASE("with I/O tiles and clocks for all of it, too, whatever the number of replicas") {
  const on::chips where{.host_time = seconds{1e-4}, .io_tiles = 32};
  const run::chips_profile four = cost(where, 4), many = cost(where, 1024);
  const auto but_rings = [](const run::chips_profile& p) { return p.chips.total - in_phase(p, ipu::phase::inter_chip); };
  CHECK(but_rings(four) == but_rings(many));
}

TEST_CASE("collectives that are not merged have rounds of their own, each tensor's") {
  const run::chips_profile merged = cost({}, 16), apart = cost({.merge_collectives = false}, 16);
  cycles rings{};
  for (const std::uint64_t n : {250u, 10u, 256u * 1440, 256u, 2560u, 10u})
    rings += ipu::ring_time(ipu::pod(ipu::mk2, 16), {4 * n}, 16, 1, 2);
  CHECK(in_phase(apart, ipu::phase::inter_chip) == rings);
  CHECK(apart.chips.total - merged.chips.total == rings - ipu::ring_time(ipu::pod(ipu::mk2, 16), {gradients}, 16, 1, 2));
  CHECK(apart.chips.chips[0].moved.chip_out == merged.chips.chips[0].moved.chip_out);
}

TEST_CASE("default systems have the racks that replicas of three chips need") {
  constexpr auto three = pipeline(input<float, 8>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<8>, nn::relu),
                                  block<"b">(nn::linear<8>, nn::relu), block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  CHECK(train::impl::chips_needed(3, 2) == 6);
  CHECK(train::impl::chips_needed(3, 22) == 64 + 5 * 4 + 3);  // sixteen in the first rack, a rung apart
  const auto counted = train::session{three, schedule::grouped(three, micro_batches<6>), train::sgd{}, {.micro_batch = 2, .replicas = 22}, on::chips{}}.cost();
  CHECK(counted.chips.chips.size() == 3);
}

TEST_CASE("with I/O tiles images come beside compute: a micro-batch falls by the time of its transfer, up to what it computes") {
  const auto a_micro_batch = [](on::chips where) {
    return (cost<72>(where).chips.total - cost<8>(where).chips.total).value / 64;
  };
  for (const double slower : {1.0, 20.0, 400.0}) {
    CAPTURE(slower);
    on::chips where{.system = ipu::pod(ipu::mk2, 1)};
    where.system.chip_host_bandwidth /= slower;
    const std::uint64_t transfer = ipu::host_time(where.system, bytes{16 * 28 * 28 + 16}).value;
    const std::uint64_t in_turn = a_micro_batch(where);
    where.io_tiles = 32;
    const std::uint64_t beside = a_micro_batch(where);
    where.synthetic = true;  // the same without a host: the copy from I/O tiles is left
    const std::uint64_t computed = a_micro_batch(where);
    CAPTURE(transfer);
    CAPTURE(in_turn);
    CAPTURE(beside);
    CAPTURE(computed);
    CHECK(in_turn > transfer);
    CHECK(beside <= std::max(computed, transfer) + computed / 10);
    CHECK(beside >= std::max(computed, transfer));
  }
}

TEST_CASE("chips wait until the host has begun a step, once whatever it does, and the profile says so") {
  const run::chips_profile quick = cost({}, 4, 3);
  const seconds call{1e-3};
  const run::chips_profile called = cost({.call_time = call}, 4, 3);
  const cycles waited = cycles_in(call, ipu::mk2.clock);
  CHECK(called.chips.total == quick.chips.total + waited);
  CHECK(in_phase(called, ipu::phase::host) == in_phase(quick, ipu::phase::host) + waited);
  REQUIRE(called.chips.activities.size() == quick.chips.activities.size());
  CHECK(called.chips.activities[0].begin == quick.chips.activities[0].begin + waited);
  const run::chips_profile made_there = cost({.synthetic = true, .call_time = call}, 4, 3);
  CHECK(in_phase(made_there, ipu::phase::host) == waited);
}

TEST_CASE("the host's work of a sample is waited for where it takes longer than the chips") {
  const run::chips_profile quick = cost({});
  const seconds work{2 * quick.chips.time().value / 8};  // of a micro-batch: twice what that takes
  const run::chips_profile slow = cost<72>({.host_time = work}), slower = cost<72>({.host_time = work * 2});
  CHECK((slower.chips.time() - slow.chips.time()).value == doctest::Approx(72 * work.value).epsilon(0.05));
  CHECK(in_phase(slower, ipu::phase::host) > in_phase(slow, ipu::phase::host) * 2 - in_phase(slow, ipu::phase::host) / 2);
}

}  // namespace on_chips_many_test
