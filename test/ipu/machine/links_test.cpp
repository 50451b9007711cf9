// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/links.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

namespace links_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

bool neighbours(const chip_system& all, std::size_t a, std::size_t b) { return a != b && next_hop(all, a, b) == b; }

/// Shortest ways by breadth-first search over neighbours.
std::size_t shortest(const chip_system& all, std::size_t from, std::size_t to) {
  std::vector<std::size_t> distance(all.chips, all.chips);
  distance[from] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < all.chips; ++a) {
      for (std::size_t b = 0; b < all.chips; ++b) {
        if (!neighbours(all, a, b) || distance[a] + 1 >= distance[b]) continue;
        distance[b] = distance[a] + 1;
        changed = true;
      }
    }
  }
  return distance[to];
}

std::size_t gateways_on_way(const chip_system& all, std::size_t from, std::size_t to) {
  std::size_t count = 0;
  for_each_link(all, from, to, [&](std::size_t link) { count += is_gateway(all, link) ? 1u : 0u; });
  return count;
}

/// Racks of eight chips, which tests can look at one by one.
chip_system small_racks(std::size_t chips) {
  chip_system made = pod(mk2, chips);
  made.chips_per_rack = 8;
  return made;
}

}  // namespace

TEST_CASE("routes arrive, are shortest, and are as long back") {
  for (const std::size_t chips :
       {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{7}, std::size_t{8}, std::size_t{16}}) {
    const chip_system all = pod(mk2, chips);
    for (std::size_t a = 0; a < chips; ++a) {
      for (std::size_t b = 0; b < chips; ++b) {
        CHECK(hops(all, a, b) == shortest(all, a, b));
        CHECK(hops(all, a, b) == hops(all, b, a));
      }
    }
  }
  CHECK(hops(pod(mk2, 64), 0, 33) == 17);
}

TEST_CASE("from rack to rack as many gateways as racks are apart round their ring, and the ladder's way; of a rack filled in part, too") {
  for (const std::size_t chips : {16u, 24u, 32u, 40u, 9u, 21u, 30u}) {
    const chip_system all = small_racks(chips);
    const std::size_t count = racks(all);
    for (std::size_t a = 0; a < chips; ++a) {
      for (std::size_t b = 0; b < chips; ++b) {
        const std::size_t up = (b / 8 + count - a / 8) % count;
        CHECK(gateways_on_way(all, a, b) == std::min(up, count - up));
        if (chips % 8 == 0) CHECK(hops(all, a, b) == std::min(up, count - up) + hops(pod(mk2, 8), a % 8, b % 8));
      }
    }
  }
}

TEST_CASE("half of the way round a ring of racks goes to the next one") {
  const chip_system all = small_racks(32);
  CHECK(next_hop(all, 3, 16) == 8 + 3);
  CHECK(next_hop(all, 16 + 3, 0) == 24 + 3);
  CHECK(next_hop(all, 3, 24) == 24 + 3);
}

TEST_CASE("the 65th chip is behind a gateway") {
  const chip_system all = pod(mk2, 128);
  CHECK(gateways_on_way(all, 0, 63) == 0);
  CHECK(gateways_on_way(all, 0, 64) == 1);
  CHECK(gateways_on_way(pod(mk2, 65), 63, 64) == 1);
  CHECK(hops(all, 0, 64) == 1);
  CHECK(gateways_on_way(pod(mk2, 1024), 0, 8 * 64) == 8);
  CHECK(gateways_on_way(pod(mk2, 1024), 0, 15 * 64) == 1);
  const chip_transfer in_rack[] = {{62, 63, {}}}, across[] = {{63, 127, {}}};
  CHECK(transfer_time(all, across) - transfer_time(all, in_rack) ==
        cycles_in(all.gateway_hop, all.chip.clock) - cycles_in(all.hop, all.chip.clock));
}

TEST_CASE("every link has a number of its own, and a way there shares none with the way back") {
  for (const chip_system& all : {pod(mk2, 16), small_racks(32)}) {
    std::set<std::size_t> seen;
    for (std::size_t a = 0; a < all.chips; ++a) {
      for (std::size_t b = 0; b < all.chips; ++b) {
        std::set<std::size_t> there;
        for_each_link(all, a, b, [&](std::size_t link) { there.insert(link); });
        CHECK(there.size() == hops(all, a, b));
        for_each_link(all, b, a, [&](std::size_t link) { CHECK(there.count(link) == 0); });
        seen.insert(there.begin(), there.end());
      }
    }
    CHECK(*seen.rbegin() < link_count(all));
    CHECK(seen.size() == link_count(all));
  }
}

TEST_CASE("a transfer takes a global sync, a fixed time, its hops, and the time of its busiest link") {
  const chip_system all = pod(mk2, 16);
  const auto expected = [&](double size, double way) {
    return all.chip.global_sync + cycles_in(all.transfer_start, all.chip.clock) + cycles_in(seconds{size / 32e9 + way * 15e-9}, all.chip.clock);
  };
  const chip_transfer one[] = {{0, 1, bytes{1'000'000}}};
  CHECK(transfer_time(all, one) == expected(1e6, 1));
  const chip_transfer apart[] = {{0, 1, bytes{1'000'000}}, {2, 3, bytes{1'000'000}}, {1, 0, bytes{1'000'000}}};
  CHECK(transfer_time(all, apart) == expected(1e6, 1));
  const chip_transfer shared[] = {{0, 2, bytes{1'000'000}}, {0, 4, bytes{1'000'000}}};
  CHECK(transfer_time(all, shared) == expected(2e6, 2));
  const chip_transfer nothing[] = {{0, 1, {}}};
  CHECK(transfer_time(all, nothing) == expected(0, 1));
  CHECK(transfer_time(all, nothing) > all.chip.global_sync + cycles_in(all.transfer_start, all.chip.clock));
  CHECK(transfer_time(all, {}) == cycles{});
  const chip_transfer still[] = {{3, 3, bytes{1'000'000}}};
  CHECK(transfer_time(all, still) == cycles{});
}

TEST_CASE("a gateway is slower than a link, and the chips of a machine share it") {
  const chip_system all = pod(mk2, 128);
  const auto expected = [&](double size) {
    return before_transfers(all) + cycles_in(seconds{size / 12.5e9} + all.gateway_hop, all.chip.clock);
  };
  const chip_transfer one[] = {{0, 64, bytes{1'000'000}}};
  CHECK(transfer_time(all, one) == expected(1e6));
  const chip_transfer of_machine[] = {{0, 64, bytes{1'000'000}}, {1, 65, bytes{1'000'000}}, {2, 66, bytes{1'000'000}}, {3, 67, bytes{1'000'000}}};
  CHECK(transfer_time(all, of_machine) == expected(4e6));
  const chip_transfer of_two[] = {{0, 64, bytes{1'000'000}}, {4, 68, bytes{1'000'000}}, {68, 4, bytes{1'000'000}}};
  CHECK(transfer_time(all, of_two) == expected(1e6));
}

TEST_CASE("a chip has links of its own up, down and across") {
  const chip_system all = pod(mk2, 16);
  for (std::size_t at = 0; at < all.chips; ++at) {
    std::vector<chip_transfer> to_each;
    for (std::size_t to = 0; to < all.chips; ++to) {
      if (neighbours(all, at, to)) to_each.push_back({at, to, bytes{1'000'000}});
    }
    CHECK(to_each.size() == 3);
    CHECK(transfer_time(all, to_each) == transfer_time(all, std::span{to_each}.first(1)));
  }
}

TEST_CASE("links do not follow the clock") {
  const chip_transfer one[] = {{0, 1, bytes{32'000'000}}};
  const seconds slow = (transfer_time(pod(mk2, 2), one) - mk2.global_sync) / mk2.clock;
  const seconds fast = (transfer_time(pod(bow, 2), one) - bow.global_sync) / bow.clock;
  CHECK(slow.value == doctest::Approx(fast.value).epsilon(1e-4));
}

TEST_CASE("a program sees the racks that it stands in") {
  CHECK(racks_of(pod(mk2, 1024), 4).chips == 64);
  CHECK(racks_of(pod(mk2, 1024), 100).chips == 1024);
  CHECK(racks_of(pod(mk2, 16), 4).chips == 16);
}

}  // namespace links_test
