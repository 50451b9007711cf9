// SPDX-License-Identifier: BSL-1.0
// A memo finds what std::unordered_map finds, and nothing in it ever moves.
#include <ipuflow/core/memo.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memo_test {

using namespace ipuflow;

TEST_CASE("numbers: found as often as they were put in, and where they were") {
  std::mt19937_64 random{3};
  for (const std::uint64_t below : {std::uint64_t{50}, std::uint64_t{5'000}, ~std::uint64_t{0}}) {
    memo<std::uint64_t, std::string> ours;
    std::unordered_map<std::uint64_t, std::string> theirs;
    std::unordered_map<std::uint64_t, const std::string*> places;
    CHECK(ours.find(7) == nullptr);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t key = random() % below << (i % 3 * 16);  // many alike in their lower bits
      const auto [node, added] = ours.try_emplace(key, std::to_string(i));
      CHECK(added == theirs.try_emplace(key, std::to_string(i)).second);
      if (added) places[key] = &node->second;
    }
    CHECK(ours.size() == theirs.size());
    for (const auto& [key, value] : theirs) {
      const std::string* const found = ours.find(key);
      REQUIRE(found != nullptr);
      CHECK(*found == value);
      CHECK(found == places.at(key));
    }
    CHECK((ours.find(below | 1) == nullptr) == !theirs.contains(below | 1));
  }
}

TEST_CASE("addresses, values that only move, and a memo that moves") {
  const std::vector<int> things(100);
  memo<const int*, std::unique_ptr<int>> first;
  for (const int& thing : things) first[&thing] = std::make_unique<int>(static_cast<int>(&thing - things.data()));
  memo<const int*, std::unique_ptr<int>> second = std::move(first);
  CHECK(first.size() == 0);
  CHECK(first.find(things.data()) == nullptr);
  CHECK(**second.find(&things[42]) == 42);
  first = std::move(second);
  CHECK(**first.find(&things[99]) == 99);
}

}  // namespace memo_test
