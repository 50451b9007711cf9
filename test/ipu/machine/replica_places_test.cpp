// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/replica_places.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace replica_places_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

namespace {

/// Stages one after the other, each on a chip.
std::vector<chip_transfer> chain(std::size_t chips) {
  std::vector<chip_transfer> made;
  for (std::size_t c = 0; c + 1 < chips; ++c) made.push_back({c, c + 1, {}});
  return made;
}

}  // namespace

TEST_CASE("each chip of each replica has a place of its own, in one rack if a replica fits into one") {
  for (const std::size_t chips : {1u, 2u, 3u, 4u, 5u, 7u, 16u, 33u, 64u, 65u, 128u}) {
    const chip_system all = pod(mk2, 1024);
    std::vector<bool> taken(1024);
    std::size_t replicas = 1;
    while (places_of(all, chips, replicas + 1).needed(replicas + 1) <= all.chips) ++replicas;
    CHECK(replicas >= (chips <= 64 ? 64 / (chips + (chips > 1 ? chips % 2 : 0)) * 16 : 1024 / (64 * ((chips + 63) / 64))));
    const replica_places places = places_of(all, chips, replicas);
    for (std::size_t r = 0; r < replicas; ++r) {
      for (std::size_t place = places.first(r); place < places.first(r) + chips; ++place) {
        REQUIRE(place < 1024);
        CHECK(!taken[place]);
        taken[place] = true;
      }
      if (chips <= 64) CHECK(places.first(r) / 64 == (places.first(r) + chips - 1) / 64);
    }
  }
}

TEST_CASE("the chain of every replica is on neighbours") {
  for (const std::size_t chips : {2u, 3u, 4u, 6u, 7u, 8u, 16u}) {
    const chip_system all = pod(mk2, 256);
    const std::size_t replicas = 64 / (chips + chips % 2) * 4;
    const replica_places places = places_of(all, chips, replicas);
    CHECK(places.needed(replicas) <= all.chips);
    const chip_order order = shortest_order(all, chain(chips), chips);
    for (std::size_t r = 0; r < replicas; ++r) {
      for (std::size_t c = 0; c + 1 < chips; ++c) {
        const std::size_t here = places.first(r) + ipu::impl::place_of(order, c, chips);
        CHECK(ipu::impl::hops(all, here, places.first(r) + ipu::impl::place_of(order, c + 1, chips)) == 1);
      }
    }
  }
}

TEST_CASE("replicas of an odd number of chips stand side by side where there is no room between them") {
  CHECK(places_of(pod(mk2, 6), 3, 2).needed(2) == 6);
  CHECK(places_of(pod(mk2, 7), 3, 2).first(1) == 4);
  CHECK(places_of(pod(mk2, 64), 1, 64).needed(64) == 64);
  CHECK(places_of(pod(mk2, 128), 1, 65).first(64) == 64);
  CHECK(places_of(pod(mk2, 128), 48, 2).first(1) == 64);  // a rack has room for one
  CHECK(places_of(pod(mk2, 128), 48, 2).needed(2) == 112);
  CHECK(places_of(pod(mk2, 1024), 100, 8).needed(8) == 7 * 128 + 100);
}

TEST_CASE("nothing is divided by what a wrong system says") {
  chip_system none = pod(mk2, 8);
  none.chips_per_rack = 0;
  CHECK(places_of(none, 2, 3).needed(3) >= 6);
  CHECK(places_of(pod(mk2, 8), 0, 3).needed(3) == 3);
}

}  // namespace replica_places_test
