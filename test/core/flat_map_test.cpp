// SPDX-License-Identifier: BSL-1.0
// A flat map and a flat set do what std::map and std::set do, whatever the order of their keys.
#include <ipuflow/core/flat_map.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace flat_map_test {

using namespace ipuflow;

namespace {

/// The keys of a few hundred insertions: ascending, descending, at random, and few again and again.
std::vector<std::vector<unsigned>> orders_of_keys() {
  std::vector<std::vector<unsigned>> orders(4);
  std::mt19937 random{7};
  for (unsigned i = 0; i < 400; ++i) {
    orders[0].push_back(i);
    orders[1].push_back(400 - i);
    orders[2].push_back(static_cast<unsigned>(random()));
    orders[3].push_back(static_cast<unsigned>(random() % 20));
  }
  return orders;
}

}  // namespace

TEST_CASE("a map holds what std::map holds, in its order") {
  for (const auto& keys : orders_of_keys()) {
    flat_map<std::pair<unsigned, unsigned>, std::string> ours;
    std::map<std::pair<unsigned, unsigned>, std::string> theirs;
    for (const unsigned k : keys) {
      const auto key = std::pair{k % 7, k};
      CHECK(ours.contains(key) == theirs.contains(key));
      const auto [entry, added] = ours.try_emplace(key, std::to_string(k));
      CHECK(added == theirs.try_emplace(key, std::to_string(k)).second);
      CHECK(entry->first == key);
      ours[key] += "!";
      theirs[key] += "!";
      REQUIRE(ours.size() == theirs.size());
    }
    auto expected = theirs.begin();
    for (const auto& [key, value] : ours) {
      CHECK(key == expected->first);
      CHECK(value == expected->second);
      CHECK(ours.at(key) == value);
      ++expected;
    }
    CHECK(ours.back().first == theirs.rbegin()->first);
  }
}

TEST_CASE("a set holds what std::set holds, in its order") {
  for (const auto& keys : orders_of_keys()) {
    flat_set<unsigned> ours;
    std::set<unsigned> theirs;
    for (const unsigned k : keys) CHECK(ours.insert(k) == theirs.insert(k).second);
    CHECK(std::vector(ours.begin(), ours.end()) == std::vector(theirs.begin(), theirs.end()));
    flat_set<unsigned> merged{5, 1, 1'000'000};
    merged.merge(ours);
    for (const unsigned k : {5u, 1u, 1'000'000u}) theirs.insert(k);
    CHECK(std::vector(merged.begin(), merged.end()) == std::vector(theirs.begin(), theirs.end()));
    CHECK(merged.contains(5));
    CHECK(merged == merged);
  }
}

}  // namespace flat_map_test
