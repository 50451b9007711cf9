// SPDX-License-Identifier: BSL-1.0
// Neighbours of a pipeline are as near to each other as any placement brings them: tried against all placements.
#include <ipuflow/ipu/machine/shortest_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace shortest_order_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

constexpr chip_order orders[] = {chip_order::zigzag, chip_order::snake, chip_order::hoof};

static_assert(place_of(chip_order::automatic, 5, 8) == 5 && place_of(chip_order::zigzag, 5, 8) == 5);
static_assert(place_of(chip_order::snake, 2, 4) == 3 && place_of(chip_order::snake, 3, 4) == 2);
static_assert(place_of(chip_order::hoof, 0, 4) == 3 && place_of(chip_order::hoof, 3, 4) == 2);

/// Stages one after the other, each on a chip.
std::vector<chip_transfer> chain(std::size_t chips) {
  std::vector<chip_transfer> made;
  for (std::size_t c = 0; c + 1 < chips; ++c) made.push_back({c, c + 1, {}});
  return made;
}
/// Two stages a chip, round and round.
std::vector<chip_transfer> loop(std::size_t chips) {
  std::vector<chip_transfer> made = chain(chips), again = made;
  made.push_back({chips - 1, 0, {}});
  made.insert(made.end(), again.begin(), again.end());
  return made;
}
/// Two stages a chip, there and back.
std::vector<chip_transfer> vee(std::size_t chips) {
  std::vector<chip_transfer> made = chain(chips), back = made;
  for (const chip_transfer& t : back) made.push_back({t.to, t.from, {}});
  return made;
}
/// A stage of two branches in the middle.
std::vector<chip_transfer> fork() { return {{0, 1, {}}, {0, 2, {}}, {1, 3, {}}, {2, 3, {}}}; }

/// The fewest hops of all placements on the first places of a system.
std::size_t fewest_hops(const chip_system& all, const std::vector<chip_transfer>& messages, std::size_t chips) {
  std::vector<std::size_t> place(chips);
  std::iota(place.begin(), place.end(), 0u);
  std::size_t fewest = static_cast<std::size_t>(-1);
  do {
    std::size_t hops = 0;
    for (const chip_transfer& m : messages) hops += ipu::impl::hops(all, place[m.from], place[m.to]);
    fewest = std::min(fewest, hops);
  } while (std::next_permutation(place.begin(), place.end()));
  return fewest;
}

}  // namespace

TEST_CASE("Every order puts each chip on a place of its own") {
  for (std::size_t chips = 1; chips <= 64; ++chips) {
    for (const chip_order order : orders) {
      std::vector<bool> taken(chips);
      for (std::size_t c = 0; c < chips; ++c) {
        const std::size_t place = place_of(order, c, chips);
        REQUIRE(place < chips);
        REQUIRE(!taken[place]);
        taken[place] = true;
      }
    }
  }
}

TEST_CASE("No placement has fewer hops between neighbours than the order that is taken: chains, loops, there and back, forks") {
  for (std::size_t chips = 2; chips <= 8; ++chips) {
    for (const chip_system& all : {pod(mk2, chips), pod(mk2, 16)}) {
      for (const auto& messages : {chain(chips), loop(chips), vee(chips), chips == 4 ? fork() : chain(chips)}) {
        const chip_order taken = shortest_order(all, messages, chips);
        CHECK(total_hops(all, taken, messages, chips) == fewest_hops(all, messages, chips));
      }
    }
  }
}

TEST_CASE("On systems of any size neighbours of a chain are beside each other, and those of a ring") {
  for (std::size_t chips = 2; chips <= 64; ++chips) {
    const chip_system all = pod(mk2, chips);
    CHECK(total_hops(all, shortest_order(all, chain(chips), chips), chain(chips), chips) == chips - 1);
    CHECK(total_hops(all, shortest_order(all, vee(chips), chips), vee(chips), chips) == 2 * (chips - 1));
    const std::size_t odd = chips % 2;  // a ladder has no ring through an odd number of places
    CHECK(total_hops(all, chip_order::hoof, loop(chips), chips) == 2 * (chips - 1) + 1 + odd);
  }
}

TEST_CASE("Where nothing is saved, chips stand as they are numbered") {
  CHECK(shortest_order(pod(mk2, 2), loop(2), 2) == chip_order::zigzag);
  CHECK(shortest_order(pod(mk2, 4), fork(), 4) == chip_order::zigzag);
  CHECK(shortest_order(pod(mk2, 4), chain(4), 4) == chip_order::snake);
  CHECK(shortest_order(pod(mk2, 8), loop(8), 8) == chip_order::snake);  // its ladder is closed to a ring
  CHECK(shortest_order(pod(mk2, 16), loop(8), 8) == chip_order::hoof);
}

}  // namespace shortest_order_test
