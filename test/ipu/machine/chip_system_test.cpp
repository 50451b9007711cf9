// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/chip_system.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace chip_system_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(accept<verify(pod(mk2, 1))>() && accept<verify(pod(bow, 64))>());

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

TEST_CASE("a transfer takes a global sync, its hops, and the time of its busiest link") {
  const chip_system all = pod(mk2, 16);
  const auto expected = [&](double size, double way) {
    return all.chip.global_sync + cycles_in(seconds{size / 32e9 + way * 15e-9}, all.chip.clock);
  };
  const chip_transfer one[] = {{0, 1, bytes{1'000'000}}};
  CHECK(transfer_time(all, one) == expected(1e6, 1));
  const chip_transfer apart[] = {{0, 1, bytes{1'000'000}}, {2, 3, bytes{1'000'000}}, {1, 0, bytes{1'000'000}}};
  CHECK(transfer_time(all, apart) == expected(1e6, 1));
  const chip_transfer shared[] = {{0, 2, bytes{1'000'000}}, {0, 4, bytes{1'000'000}}};
  CHECK(transfer_time(all, shared) == expected(2e6, 2));
  CHECK(transfer_time(all, {}) == cycles{});
  const chip_transfer still[] = {{3, 3, bytes{1'000'000}}};
  CHECK(transfer_time(all, still) == cycles{});
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

TEST_CASE("machines are counted up and shared by their chips") {
  CHECK(machines(pod(mk2, 1)) == 1);
  CHECK(machines(pod(mk2, 4)) == 1);
  CHECK(machines(pod(mk2, 5)) == 2);
  CHECK(machines(pod(mk2, 64)) == 16);
  CHECK(sharing_a_machine(pod(mk2, 2)) == 2);
  CHECK(sharing_a_machine(pod(mk2, 16)) == 4);
  const auto ms = doctest::Approx(1e-3 * mk2.clock.value).epsilon(1e-6);
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{5'500'000}).value) == ms);     // a chip by itself
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{5'500'000}, 2).value) == ms);  // the port has room for two
  CHECK(static_cast<double>(host_time(pod(mk2, 4), bytes{3'125'000}, 4).value) == ms);  // and is shared by four
  CHECK(static_cast<double>(streaming_time(pod(mk2, 4), bytes{3'187'500}, 4).value) == ms);
}

TEST_CASE("the host link of a machine is shared by the chips that use it at once, and one chip has a limit of its own") {
  chip_system narrow = pod(mk2, 4);
  CHECK(host_rate(narrow) == 5.5e9);  // row S1; the machine's port would give more
  CHECK(host_rate(narrow, 4) == 12.5e9 / 4);
  narrow.host_bandwidth = 8e9;
  CHECK(host_rate(narrow) == 5.5e9);
  CHECK(host_rate(narrow, 2) == 4e9);
}

TEST_CASE("a system that cannot be is refused") {
  chip_system broken = pod(mk2, 0);
  CHECK(said(verify(broken)) == "ipuflow: a system has no chips; give it 1 to 64");
  CHECK(said(verify(pod(mk2, 65))) ==
        "ipuflow: a system of 65 chips is more than the ladder holds; give it at most 64");
  broken = pod(mk2, 2);
  broken.links_between_neighbours = 0;
  CHECK(said(verify(broken)) ==
        "ipuflow: the chips of a system have no links to their neighbours; give at least one and its bandwidth");
  broken = pod(mk2, 2);
  broken.chips_per_machine = 0;
  CHECK(said(verify(broken)) == "ipuflow: a machine of a system holds no chips; set chips_per_machine to at least 1");
  broken = pod(mk2, 2);
  broken.host_bandwidth = 0;
  CHECK(said(verify(broken)) == "ipuflow: a system has no host or streaming bandwidth; give bytes a second for both");
}

}  // namespace chip_system_test
