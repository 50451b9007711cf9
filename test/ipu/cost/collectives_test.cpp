// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/collectives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace collectives_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

constexpr std::size_t all_reduce_passes = 2;

double time_of(const chip_system& all, double size, std::size_t replicas, std::size_t chips = 1, std::size_t passes = all_reduce_passes) {
  const cycles taken = ring_time(all, {static_cast<std::uint64_t>(size)}, replicas, chips, passes);
  return ((taken - all.chip.global_sync) / all.chip.clock).value;
}

/// The same system with links so fast that only what is fixed takes time.
chip_system without_bytes(chip_system all) {
  all.link_bandwidth = all.gateway_bandwidth = 1e30;
  return all;
}
/// And one on which nothing is fixed.
chip_system without_rounds(chip_system all) {
  all.ring_round = all.hop = all.gateway_hop = {};
  return all;
}

const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-3); };

}  // namespace

TEST_CASE("all-reduces of much on a ring of R take 2 (R - 1) rounds, each its fixed time, half a part each way") {
  for (const std::size_t replicas : {4u, 6u, 8u, 16u, 64u}) {
    const chip_system all = pod(mk2, replicas);
    const double rounds = 2.0 * static_cast<double>(replicas - 1), size = 1e9;
    const double part = size / static_cast<double>(replicas);
    CHECK(time_of(all, size, replicas) == near(rounds * (3e-6 + 15e-9 + part / 2 / 32e9)));
    chip_system slower = all;
    slower.ring_round = seconds{1e-3};
    slower.link_bandwidth = 1e6;  // so that bytes still take longer than rounds
    chip_system faster = slower;
    faster.ring_round = {};
    CHECK(time_of(slower, size, replicas) - time_of(faster, size, replicas) == near(rounds * 1e-3));
  }
}

TEST_CASE("of little every member sends every other its part at once: a round for a gather or a scatter, two for an all-reduce") {
  for (const std::size_t replicas : {2u, 4u, 5u, 8u, 16u, 63u}) {
    const chip_system all = pod(mk2, 64);
    CHECK(time_of(all, 0, replicas, 1, 1) >= 3e-6);
    CHECK(time_of(all, 0, replicas, 1, 1) <= 3e-6 + 64 * 15e-9);
    CHECK(time_of(all, 64, replicas) == near(2 * time_of(all, 64, replicas, 1, 1)));
    CHECK(time_of(all, 1e9, replicas) == near(2 * time_of(all, 1e9, replicas, 1, 1)));
  }
  CHECK(ring_time(pod(mk2, 4), {1'000'000}, 1, 4, 2) == cycles{});
}

TEST_CASE("in between they meet in the middle: of 16, eight rounds a pass") {
  const double size = 2e6, part = size / 16;
  CHECK(time_of(pod(mk2, 16), size, 16) == near(2 * 8 * (3e-6 + 15e-9 + part / 32e9)));
}

TEST_CASE("parts that are sent at once pass as many links as ways round a ring have") {
  for (std::size_t members = 2; members <= 9; ++members) {
    std::size_t links = 0;  // both ways of a ring together, of all messages
    for (std::size_t to = 1; to < members; ++to) links += members * std::min(to, members - to);
    CHECK(parts_at_once(members) * 2 * static_cast<double>(members) == static_cast<double>(links));
  }
}

// The vendor's library takes one way below these sizes, found by measuring powers of two of KiB a tile of mk1, and the other from
// them on: so a round's time is where the model changes over between half of the size and all of it.
TEST_CASE("the way round is changed between the last size at which the vendor's library has one and the first with the other") {
  struct threshold {
    std::size_t replicas;
    double size;
  };
  for (const threshold t : {threshold{4, 1'245'184}, {8, 4'980'736}, {16, 39'845'888}}) {
    const chip_system all = pod(mk1, t.replicas);
    const ring_shape ring = ring_in_rack(all, places_of(all, 1, t.replicas), t.replicas);
    CHECK(to_the_middle(all, ring, t.size / 2) < round_and_round(all, ring, t.size / 2));
    CHECK(to_the_middle(all, ring, t.size) > round_and_round(all, ring, t.size));
  }
}

TEST_CASE("twice as many replicas never take less, each number of them on a system of its size") {
  for (const double size : {0.0, 1e3, 1e5, 1e7, 1e9}) {
    for (std::size_t replicas = 4; replicas <= 512; replicas *= 2)
      CHECK(time_of(pod(mk2, 2 * replicas), size, 2 * replicas) >= time_of(pod(mk2, replicas), size, replicas));
  }
  CHECK(time_of(pod(mk2, 4), 1e3, 4) > time_of(pod(mk2, 2), 1e3, 2));
  CHECK(time_of(pod(mk2, 4), 1e9, 4) == near(time_of(pod(mk2, 2), 1e9, 2) * 0.75));  // two chips have links to one side only
}

TEST_CASE("rings of all chips of a replica share the links: four replicas of four take as long as twice the bytes of one chip each") {
  const chip_system all = without_rounds(pod(mk2, 16));
  CHECK(time_of(all, 1e8, 4, 4) == near(2 * time_of(without_rounds(pod(mk2, 4)), 1e8, 4, 1)));
  CHECK(time_of(all, 1e8, 8, 2) == near(2 * 7 * 1e8 / 16 / 32e9));  // each of two on a side of its own, closed to a ring
}

TEST_CASE("the 65th replica is behind a gateway") {
  const chip_system all = pod(mk2, 128);
  chip_system slow = all;
  slow.gateway_hop = seconds{1};
  CHECK(time_of(slow, 1e6, 64) == near(time_of(all, 1e6, 64)));
  CHECK(time_of(slow, 1e6, 65) > 1);
  CHECK(time_of(slow, 1e6, 16, 4) == near(time_of(all, 1e6, 16, 4)));
  CHECK(time_of(slow, 1e6, 17, 4) > 1);
}

TEST_CASE("between racks each gateway brings the parts of its machine's chips, added up in the rack, a half in each direction") {
  for (const std::size_t racks : {2u, 4u, 16u}) {
    const std::size_t replicas = 64 * racks;
    const chip_system all = without_rounds(pod(mk2, replicas));
    chip_system only_gateways = all;
    only_gateways.link_bandwidth = 1e30;
    const double size = 1e9, part = size / 64;
    const double through_gateway = 4 * part * static_cast<double>(racks - 1) / static_cast<double>(racks) / 2;  // of a pass
    CHECK(time_of(only_gateways, size, replicas) == near(2 * through_gateway / 12.5e9));
    CHECK(time_of(all, size, replicas) == near(time_of(without_rounds(pod(mk2, 64)), size, 64) + 2 * through_gateway / 12.5e9));
  }
}

TEST_CASE("between racks there are rounds, too, with the way between them") {
  for (const std::size_t racks : {2u, 4u, 16u}) {
    const chip_system all = without_bytes(pod(mk2, 64 * racks));
    const double half = static_cast<double>(racks / 2);
    CHECK(time_of(all, 1e6, 64 * racks) == near(2 * (3e-6 + 32 * 15e-9 + 3e-6 + half * 2e-6)));
  }
}

TEST_CASE("some racks of a system go back by the links on which they came, and pipelines of two racks cross them twice") {
  const double size = 1e9;
  chip_system some = without_rounds(pod(mk2, 256)), all = without_rounds(pod(mk2, 192));
  some.link_bandwidth = all.link_bandwidth = 1e30;
  CHECK(time_of(some, size, 192) == near(2 * time_of(all, size, 192)));
  chip_system long_ones = without_rounds(pod(mk2, 256)), short_ones = without_rounds(pod(mk2, 128));
  long_ones.link_bandwidth = short_ones.link_bandwidth = 1e30;
  CHECK(time_of(long_ones, size, 2, 128) == near(2 * time_of(short_ones, size, 2, 64)));
}

TEST_CASE("replicas that a system has no places for take what they take where it has") {
  CHECK(ring_time(pod(mk2, 4), bytes{1000}, 5, 1, 2) == ring_time(pod(mk2, 5), bytes{1000}, 5, 1, 2));
  CHECK(ring_time(pod(mk2, 64), bytes{1000}, 128, 1, 2) == ring_time(pod(mk2, 128), bytes{1000}, 128, 1, 2));
}

}  // namespace collectives_test
