// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/exchange/word_packing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace word_packing_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE(
    "every word to every receiver in one cycle of its own, no tile twice in a cycle, hardly longer than the bound") {
  std::mt19937 random(9);
  std::size_t bounds = 0, lengths = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t tiles = 4 + random() % 20;
    std::vector<std::vector<std::size_t>> to(1 + random() % 40);
    std::vector<std::size_t> from, words, out(tiles, 0), in(tiles, 0);
    word_packing packing(tiles);
    for (std::size_t m = 0; m < to.size(); ++m) {
      from.push_back(random() % tiles);
      words.push_back(1 + random() % 12);
      for (std::size_t t = 0; t < tiles; ++t) {
        if (t != from[m] && random() % 4 == 0) to[m].push_back(t);
      }
      out[from[m]] += words[m];
      for (const std::size_t t : to[m]) in[t] += words[m];
      packing.add(from[m], to[m], words[m], m, 7);
    }
    std::set<std::pair<std::size_t, std::size_t>> sent, received;
    std::set<std::tuple<std::size_t, std::size_t>> delivered;
    bool clean = true;
    std::size_t last = 0, all = 0;
    const std::size_t length = packing.pack([&](const matched_run& run) {
      for (std::size_t w = 0; w < run.words; ++w) {
        const std::size_t slot = run.slot + w;
        last = std::max(last, slot + 1);
        clean = sent.insert({from[run.message], slot}).second && clean;
        for (const std::size_t t : to[run.message]) clean = received.insert({t, slot}).second && clean;
        clean = delivered.insert({run.message, run.first_word + w}).second && clean;
        clean = run.first_word + w < words[run.message] && run.first_receiver == 7 && clean;
      }
    });
    for (const std::size_t w : words) all += w;
    CHECK(clean);
    CHECK(delivered.size() == all);
    CHECK(length == last);
    const std::size_t bound =
        std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
    CHECK(length >= bound);
    bounds += bound;
    lengths += length;
  }
  CHECK(lengths < bounds * 5 / 4);  // many receivers each: these cannot all be as short as the bound
}

TEST_CASE("a choice lasts until a message ends or a tile that waits has no cycle to lose") {
  const std::size_t to[] = {1, 2}, back[] = {0};
  const auto runs_of = [](word_packing packing) {
    std::vector<std::size_t> words;
    packing.pack([&](const matched_run& run) { words.push_back(run.words); });
    return words;
  };
  word_packing alone(3);
  alone.add(0, to, 10, 0, 0);
  CHECK(runs_of(alone) == std::vector<std::size_t>{10});
  word_packing both(3);  // at once, because no tile does the same twice
  both.add(0, to, 10, 0, 0);
  both.add(1, back, 10, 1, 0);
  CHECK(runs_of(both) == std::vector<std::size_t>{10, 10});
}

TEST_CASE("nothing to pack, and equal packings") {
  word_packing none(3);
  CHECK(none.pack([](const matched_run&) { FAIL("a run of nothing"); }) == 0);
  const std::size_t pair[] = {1, 2}, other[] = {0, 2};
  std::vector<std::size_t> slots[2];
  for (auto& s : slots) {
    word_packing packing(3);
    packing.add(0, pair, 5, 0, 0);
    packing.add(1, other, 5, 1, 0);
    CHECK(packing.pack([&](const matched_run& run) { s.push_back(run.slot * 10 + run.message); }) == 10);
  }
  CHECK(slots[0] == slots[1]);
}

}  // namespace word_packing_test
