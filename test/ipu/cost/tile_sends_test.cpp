// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/tile_sends.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace tile_sends_test {

using namespace ipuflow::ipu::impl;

namespace {

using message = std::tuple<std::size_t, std::size_t, ipuflow::light_vector<std::size_t>>;  // tile, words, receivers

ipuflow::light_vector<message> messages_of(chip_sends asked) {
  ipuflow::light_vector<message> left;
  asked.for_each([&](std::size_t tile, std::size_t words, const ipuflow::light_vector<std::size_t>& to) {
    left.emplace_back(tile, words, to);
  });
  return left;
}

tile_send run(std::uint32_t tile, std::uint32_t local, std::uint32_t length, std::uint32_t element, std::uint32_t first,
              std::uint32_t receivers = 1) {
  return {.variable = 1, .local = local, .length = length, .tile = tile, .first_receiver = first, .receivers = receivers,
          .element = static_cast<std::uint16_t>(element)};
}

}  // namespace

TEST_CASE("equal words leave their tile once, for all their receivers, in whatever order they are asked for") {
  const chip_sends asked{{run(2, 8, 4, 4, 0), run(2, 0, 4, 4, 1), run(2, 8, 4, 4, 2), run(2, 0, 4, 4, 3)},
                         {{7, 0}, {5, 0}, {3, 0}, {6, 0}}};
  CHECK(messages_of(asked) == ipuflow::light_vector<message>{{2, 4, {5, 6}}, {2, 4, {3, 7}}});
}

TEST_CASE("a tile that wants the same words at two places gets them twice") {
  const chip_sends asked{{run(2, 0, 4, 4, 0, 4)}, {{7, 0}, {5, 0}, {7, 9}, {6, 0}}};
  CHECK(messages_of(asked) == ipuflow::light_vector<message>{{2, 4, {5, 6, 7}}, {2, 4, {7}}});
}

TEST_CASE("what goes on with the next words, for the same tiles, is one message; to others it is not") {
  const chip_sends asked{{run(1, 0, 4, 4, 0, 2), run(1, 4, 8, 4, 2, 2), run(1, 12, 4, 4, 4, 1), run(3, 16, 4, 4, 5, 1)},
                         {{5, 0}, {6, 0}, {6, 9}, {5, 9}, {6, 0}, {6, 0}}};
  CHECK(messages_of(asked) == ipuflow::light_vector<message>{{1, 12, {5, 6}}, {1, 4, {6}}, {3, 4, {6}}});
}

TEST_CASE("halves leave in the words that they touch") {
  const chip_sends apart{{run(0, 1, 1, 2, 0), run(0, 3, 2, 2, 1), run(0, 6, 3, 2, 2)}, {{1, 0}, {1, 0}, {1, 0}}};
  CHECK(messages_of(apart) == ipuflow::light_vector<message>{{0, 1, {1}}, {0, 2, {1}}, {0, 2, {1}}});
  const chip_sends together{{run(0, 1, 1, 2, 0), run(0, 2, 2, 2, 1), run(0, 4, 3, 2, 2)}, {{1, 0}, {1, 7}, {1, 4}}};
  CHECK(messages_of(together) == ipuflow::light_vector<message>{{0, 4, {1}}});  // halves 1 to 6
}

TEST_CASE("words that several tiles want leave once, however much more each of them wants") {
  const chip_sends asked{{run(2, 0, 8, 4, 0), run(2, 2, 4, 4, 1), run(2, 4, 8, 4, 2), run(2, 12, 2, 4, 3)}, {{5, 0}, {6, 0}, {7, 0}, {7, 0}}};
  CHECK(messages_of(asked) == ipuflow::light_vector<message>{{2, 2, {5}}, {2, 2, {5, 6}}, {2, 2, {5, 6, 7}}, {2, 2, {5, 7}}, {2, 6, {7}}});
}

TEST_CASE("halves that several tiles want leave in the words of all, and in words of their own where none are shared") {
  const chip_sends asked{{run(0, 0, 3, 2, 0), run(0, 2, 3, 2, 1), run(0, 5, 2, 2, 2)}, {{1, 0}, {2, 0}, {1, 5}}};
  CHECK(messages_of(asked) == ipuflow::light_vector<message>{{0, 1, {1}}, {0, 1, {1, 2}}, {0, 1, {2}}, {0, 2, {1}}});
}

TEST_CASE("an instruction begins each stream of words without a gap, whoever takes them, and each that is sent again") {
  chip_sends asked{{run(2, 0, 8, 4, 0), run(2, 4, 8, 4, 1), run(2, 20, 1, 4, 2, 2)}, {{5, 0}, {6, 0}, {7, 0}, {7, 9}}};
  ipuflow::light_vector<std::size_t> runs;
  asked.for_each([](std::size_t, std::size_t, const ipuflow::light_vector<std::size_t>&) {}, [&](std::size_t, std::size_t words) { runs.push_back(words); });
  std::sort(runs.begin(), runs.end());
  CHECK(runs == ipuflow::light_vector<std::size_t>{1, 1, 12});
  chip_sends apart{{run(2, 0, 8, 4, 0), run(2, 8, 4, 4, 1), run(2, 13, 4, 4, 2), run(3, 17, 4, 4, 3)}, {{5, 0}, {6, 0}, {7, 0}, {7, 9}}};
  runs.clear();
  apart.for_each([](std::size_t, std::size_t, const ipuflow::light_vector<std::size_t>&) {}, [&](std::size_t, std::size_t words) { runs.push_back(words); });
  CHECK(runs == ipuflow::light_vector<std::size_t>{12, 4, 4});
}

TEST_CASE("of any runs every tile gets its words, and no word leaves more often than the tile that wants it most often has it") {
  std::uint32_t state = 7;
  const auto any = [&](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 65536 % below; };
  for (std::size_t round = 0; round < 200; ++round) {
    chip_sends asked;
    ipuflow::light_vector<ipuflow::light_vector<std::size_t>> wanted(8, ipuflow::light_vector<std::size_t>(64, 0));  // by tile and word
    for (std::uint32_t i = 0; i < 12; ++i) {
      const std::uint32_t begin = any(40), length = 1 + any(20), to = 1 + any(7);
      asked.sends.push_back(run(0, begin, length, 4, i));
      asked.landings.push_back({to, i * 64});
      for (std::size_t w = begin; w < begin + length; ++w) ++wanted[to][w];
    }
    ipuflow::light_vector<std::size_t> received(8, 0);
    std::size_t words = 0, most = 0;
    asked.for_each([&](std::size_t, std::size_t n, const ipuflow::light_vector<std::size_t>& to) {
      words += n;
      for (const std::size_t t : to) received[t] += n;
    });
    for (std::size_t w = 0; w < 64; ++w) {
      std::size_t often = 0;
      for (const auto& tile : wanted) often = std::max(often, tile[w]);
      most += often;
    }
    CHECK(words == most);
    for (std::size_t t = 1; t < 8; ++t) CHECK(received[t] == std::accumulate(wanted[t].begin(), wanted[t].end(), std::size_t{0}));
  }
}

TEST_CASE("sends go out tile by tile and by place, however many there are and however they stand") {
  chip_sends asked;
  for (std::uint32_t i = 0; i < 9000; ++i) {
    const std::uint32_t tile = i % 3, local = i * 7919 % 1000 * 64, length = 40 - i / 1000 * 4;  // three on a tile at each place
    asked.sends.push_back(run(tile, local, length, 4, i)), asked.landings.push_back({3 + i, 0});
  }
  ipuflow::light_vector<message> expected;
  for (std::uint32_t tile = 0; tile < 3; ++tile) {
    for (std::uint32_t place = 0; place < 1000; ++place) {
      ipuflow::light_vector<std::size_t> to;
      for (std::uint32_t i = 0; i < 9000; ++i)
        if (i % 3 == tile && i * 7919 % 1000 == place) to.push_back(3 + i);
      for (; !to.empty(); to.pop_back()) expected.emplace_back(tile, 4 * (to.size() == 3 ? 10 - (to.back() - 3) / 1000 : 3), to);  // the shortest goes to all
    }
  }
  CHECK(messages_of(asked) == expected);
}

TEST_CASE("one that is cleared counts the next sends as a new one does") {
  chip_sends used{{run(5, 8, 4, 4, 0), run(2, 0, 4, 4, 1)}, {{7, 0}, {5, 0}}};
  used.for_each([](std::size_t, std::size_t, const ipuflow::light_vector<std::size_t>&) {});
  used.clear();
  used.sends.push_back(run(1, 4, 8, 4, 0)), used.landings.push_back({6, 0});
  CHECK(messages_of(used) == ipuflow::light_vector<message>{{1, 8, {6}}});
}

}  // namespace tile_sends_test
