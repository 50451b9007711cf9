// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/exchange/word_matching.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace word_matching_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("every word in exactly one cycle, no node twice in a cycle, as many cycles as the largest degree") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t left = 1 + random() % 9;
    const std::size_t right = 1 + random() % 9;
    word_matching matching(left, right);
    std::vector<std::size_t> from;
    std::vector<std::size_t> to;
    std::vector<std::size_t> words;
    std::vector<std::size_t> out(left, 0);
    std::vector<std::size_t> in(right, 0);
    std::size_t degree = 0;
    for (std::size_t m = 0; m < random() % 40; ++m) {
      from.push_back(random() % left);
      to.push_back(random() % right);
      words.push_back(1 + random() % 12);
      matching.add(from[m], to[m], words[m], m, 0, 1);
      degree = std::max({degree, out[from[m]] += words[m], in[to[m]] += words[m]});
    }
    std::set<std::pair<std::size_t, std::size_t>> sent, received, delivered;
    bool clean = true;
    const std::size_t length = matching.colour([&](const matched_run& run) {
      for (std::size_t w = 0; w < run.words; ++w) {
        clean = sent.insert({from[run.message], run.slot + w}).second && clean;
        clean = received.insert({to[run.message], run.slot + w}).second && clean;
        clean = delivered.insert({run.message, run.first_word + w}).second && clean;
        clean = run.first_word + w < words[run.message] && run.slot + w < degree && clean;
      }
    });
    std::size_t all = 0;
    for (const std::size_t w : words) all += w;
    CHECK(clean);
    CHECK(delivered.size() == all);
    CHECK(length == degree);
  }
}

TEST_CASE("equal graphs get equal schedules") {
  std::vector<std::size_t> slots[2];
  for (auto& s : slots) {
    word_matching matching(5, 5);
    for (std::size_t m = 0; m < 25; ++m) matching.add(m / 5, m % 5, 3, m, 0, 1);
    matching.colour([&](const matched_run& run) { s.push_back(run.slot * 100 + run.message); });
  }
  CHECK(slots[0] == slots[1]);
}

}  // namespace word_matching_test
