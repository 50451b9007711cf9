// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/link_times.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace link_times_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a transfer waits for all links on its way, and one that is earlier finds its gap") {
  link_times links{pod(mk2, 4)};
  const std::vector<std::size_t> one{0}, both{0, 3}, other{3};
  CHECK(links.free_for(one, 100, 50) == 100);
  links.take(one, 100, 50);
  CHECK(links.free_for(one, 120, 50) == 150);
  CHECK(links.free_for(both, 120, 50) == 150);
  CHECK(links.free_for(other, 120, 50) == 120);
  CHECK(links.free_for(one, 10, 50) == 10);
  CHECK(links.free_for(one, 60, 40) == 60);
  CHECK(links.free_for(one, 61, 40) == 150);
  links.take(other, 160, 20);
  CHECK(links.free_for(both, 120, 20) == 180);
  CHECK(links.free_for(both, 120, 10) == 150);
  CHECK(links.free_for({}, 7, 1000) == 7);
}

TEST_CASE("transfers in any order never share a link") {
  std::mt19937 random{5};
  link_times links{pod(mk2, 4)};
  const std::vector<std::size_t> way{2};
  std::vector<bool> taken(4000, false);
  bool shared = false;
  for (int i = 0; i < 14; ++i) {  // as many as are remembered
    const std::uint64_t length = 1 + random() % 60;
    const std::uint64_t from = links.free_for(way, 1 + random() % 900, length);
    links.take(way, from, length);
    for (std::uint64_t t = from; t < from + length; ++t) {
      shared = shared || taken[t];
      taken[t] = true;
    }
  }
  CHECK(!shared);
}

TEST_CASE("ports are behind all links, one of the host for a machine and one of streaming memory for a chip") {
  for (const std::size_t chips : {1u, 4u, 7u, 128u}) {
    const chip_system all = pod(mk2, chips);
    link_times links{all};
    CHECK(links.host_port(0) == link_count(all));
    CHECK(links.host_port(chips - 1) == link_count(all) + machines(all) - 1);
    CHECK(links.streaming_port(0) == link_count(all) + machines(all));
    const std::vector<std::size_t> last{links.streaming_port(chips - 1)};
    links.take(last, 5, 10);
    CHECK(links.free_for(last, 6, 1) == 15);
  }
}

}  // namespace link_times_test
