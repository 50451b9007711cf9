// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/placement.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace placement_test {

using namespace ipuflow::ipu::impl;

/// Variables that live several times each, some of them not at all.
program_liveness random_lives(std::mt19937& random, std::size_t variables) {
  program_liveness made{200, {}};
  for (std::size_t v = 0; v < variables; ++v) {
    ipuflow::light_vector<live_range> ranges;
    std::size_t at = random() % 60;
    for (std::size_t left = random() % 6; left > 0 && at < 180; --left) {
      const std::size_t length = 1 + random() % 9;
      ranges.push_back({at, at + length});
      at += length + random() % 30;
    }
    made.ranges.push_back(ranges);
  }
  return made;
}

bool meet(const ipuflow::light_vector<live_range>& a, const ipuflow::light_vector<live_range>& b) {
  return std::any_of(a.begin(), a.end(), [&](const live_range& x) {
    return std::any_of(b.begin(), b.end(), [&](const live_range& y) { return x.begin < y.end && y.begin < x.end; });
  });
}

ipuflow::light_vector<std::size_t> every_third(const program_liveness& live) {
  ipuflow::light_vector<std::size_t> made;
  for (std::size_t v = 0; v < live.ranges.size(); v += 3) made.push_back(v);
  return made;
}

TEST_CASE("two variables meet if any range of one meets any of the other") {
  std::mt19937 random(6);
  for (int trial = 0; trial < 50; ++trial) {
    const program_liveness live = random_lives(random, 200);
    const ipuflow::light_vector<std::size_t> listed = every_third(live);
    const lifetimes lives(live, listed);
    for (std::size_t a = 0; a < listed.size(); ++a) {
      for (std::size_t b = 0; b < listed.size(); ++b) {
        if (a != b) CHECK(lives.meet(a, b) == meet(live.ranges[listed[a]], live.ranges[listed[b]]));
      }
    }
  }
}

TEST_CASE("the peak is the most bytes of any step") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const program_liveness live = random_lives(random, 40);
    const ipuflow::light_vector<std::size_t> listed = every_third(live);
    ipuflow::light_vector<sized_variable> placed;
    ipuflow::light_vector<std::size_t> at_step(live.steps, 0);
    for (std::size_t n = 0; n < listed.size(); ++n) {
      if (random() % 3 == 0) continue;
      placed.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(4 * (1 + random() % 40))});
      for (const live_range& r : live.ranges[listed[n]]) {
        for (std::size_t s = r.begin; s < r.end; ++s) at_step[s] += placed.back().size;
      }
    }
    CHECK(lifetimes(live, listed).peak(placed) == *std::max_element(at_step.begin(), at_step.end()));
  }
}

TEST_CASE("what lives together does not overlap, and each variable lies as low as those before it let it") {
  std::mt19937 random(8);
  for (int trial = 0; trial < 100; ++trial) {
    const program_liveness live = random_lives(random, 90);
    const ipuflow::light_vector<std::size_t> listed = every_third(live);
    const lifetimes lives(live, listed);
    ipuflow::light_vector<sized_variable> wanted;
    for (std::size_t n = 0; n < listed.size(); n += 1 + random() % 2) wanted.push_back({static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(4 * (1 + random() % 40))});
    const std::size_t end = place(wanted, lives);
    std::size_t last = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const sized_variable& v = wanted[i];
      last = std::max<std::size_t>(last, v.address + v.size);
      CHECK(v.address % 8 == 0);
      if (i > 0) CHECK(wanted[i - 1].size >= v.size);
      const auto fits_at = [&](std::size_t address) {
        return std::none_of(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(i), [&](const sized_variable& other) {
          return lives.meet(v.variable, other.variable) && address < other.address + aligned(other.size) && other.address < address + v.size;
        });
      };
      CHECK(fits_at(v.address));
      for (std::size_t lower = 0; lower < v.address; lower += 8) CHECK_FALSE(fits_at(lower));
    }
    CHECK(end == last);
  }
}

}  // namespace placement_test
