// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/permutation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace permutation_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

std::vector<std::size_t> order(std::size_t size, std::uint64_t key) {
  const permutation p{size, key};
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < size; ++i) all.push_back(p[i]);
  return all;
}

}  // namespace

// The same on every platform, for ever: files that name a seed rely on it.
static_assert(permutation{1, 5}[0] == 0);

TEST_CASE("every index comes once, whatever the size and the key") {
  for (std::size_t size = 1; size < 300; ++size) {
    for (std::uint64_t key = 0; key < 5; ++key) {
      auto all = order(size, epoch_key(key, size));
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < size; ++i) CHECK(all[i] == i);
    }
  }
}

TEST_CASE("indices stay below the size where the size is larger than memory") {
  for (const std::size_t size : {(std::size_t{1} << 32) + 1, (std::size_t{1} << 62) + 3, ~std::size_t{0}}) {
    const permutation p{size, 99};
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(p[i] < size);
      CHECK(p[size - 1 - i] != p[i]);
    }
  }
}

TEST_CASE("a known order") {
  CHECK(order(10, epoch_key(7, 0)) == order(10, epoch_key(7, 0)));
  CHECK(order(10, epoch_key(7, 0)) != order(10, epoch_key(7, 1)));
  CHECK(order(10, epoch_key(7, 0)) != order(10, epoch_key(8, 0)));
}

TEST_CASE("all orders of four samples are about equally likely") {
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint64_t seed = 0; seed < 24'000; ++seed) ++seen[order(4, epoch_key(seed, 0))];
  CHECK(seen.size() == 24);
  for (const auto& [which, count] : seen) {
    CHECK(count > 850);  // 1000 expected, with a deviation of 31
    CHECK(count < 1150);
  }
}

TEST_CASE("every sample is about equally likely at every place") {
  constexpr std::size_t size = 37;
  std::vector<std::array<int, size>> seen(size);
  for (std::uint64_t epoch = 0; epoch < 3700; ++epoch) {
    const auto all = order(size, epoch_key(3, epoch));
    for (std::size_t i = 0; i < size; ++i) ++seen[i][all[i]];
  }
  double chi_squared = 0;
  for (const auto& place : seen) {
    for (const int count : place) chi_squared += (count - 100.0) * (count - 100.0) / 100.0;
  }
  CHECK(chi_squared < 1500);  // 36 * 36 degrees of freedom: 1296 expected, with a deviation of 51
  CHECK(chi_squared > 1100);
}

TEST_CASE("neighbours do not stay together") {
  constexpr std::size_t size = 10'000;
  std::size_t together = 0;
  for (std::uint64_t key = 0; key < 20; ++key) {
    const auto all = order(size, epoch_key(key, 0));
    for (std::size_t i = 1; i < size; ++i) {
      if (all[i] == all[i - 1] + 1) ++together;
    }
  }
  CHECK(together > 0);
  CHECK(together < 45);  // one in 10,000 expected, 20 in all
}

}  // namespace permutation_test
