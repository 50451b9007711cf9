// SPDX-License-Identifier: BSL-1.0
// Pieces that were folded stand for the operations of the list, each once and in order, and what goes on at equal distances is one of them.
#include <ipuflow/schedule/analysis/path_fold.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace path_fold_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using ipuflow::dynamic_array;

namespace {

/// Operations in the order of time: runs of some body, which micro-batches go through forwards or backwards, with others between them.
std::vector<timed_op> random_path(unsigned seed, std::size_t runs) {
  std::mt19937 random{seed};
  const auto below = [&](unsigned most) { return random() % most; };
  std::vector<timed_op> path;
  std::size_t time = 0;
  for (std::size_t r = 0; r < runs; ++r) {
    const std::size_t length = 1 + below(5), times = 1 + below(60), ipu = below(3), from = below(1000) + 200;
    const bool backwards = below(2) == 0;
    std::vector<std::size_t> lasts, waits;
    for (std::size_t i = 0; i < length; ++i) lasts.push_back(1 + below(3)), waits.push_back(below(4) == 0 ? 1 : 0);
    for (std::size_t t = 0; t < times; ++t) {
      for (std::size_t i = 0; i < length; ++i) {
        const pass kind = i % 2 == 0 ? pass::forward : pass::backward;
        time += waits[i];
        path.push_back({{op{kind, i, backwards ? from - t : from + t}, path.size() * 2, false}, ipu, {time, time + lasts[i]}});
        time += lasts[i];
      }
    }
    for (std::size_t i = below(4); i-- > 0; ++time) path.push_back({{op{pass::backward, 7, below(100)}, path.size() * 2, false}, 5, {time, time + 1}});
  }
  return path;
}

dynamic_array<path_piece> folded(const std::vector<timed_op>& path, std::size_t begin) {
  dynamic_array<timed_op> back;
  for (std::size_t i = path.size(); i-- > 0;) back.push_back(path[i]);
  dynamic_array<path_piece> pieces;
  path_fold{back, begin}.add_to(pieces);
  return pieces;
}

repeating_path in_order(dynamic_array<path_piece> pieces) {
  repeating_path path;
  for (std::size_t i = pieces.size(); i-- > 0;) path.push_back(pieces[i]);
  return path;
}

std::vector<timed_op> train(std::size_t ops) {
  std::vector<timed_op> path;
  for (std::size_t i = 0; i < ops; ++i) path.push_back({{op{pass::forward, 3, i}, 2 * i, false}, 1, {5 * i, 5 * i + 4}});
  return path;
}

}  // namespace

TEST_CASE("the operations are those of the list, from the given one on") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<timed_op> path = random_path(seed, seed % 9);
    const std::size_t begin = seed % 3 == 0 ? 0 : path.size() / 3;
    CAPTURE(seed);
    const repeating_path pieces = in_order(folded(path, begin));
    REQUIRE(pieces.size() == path.size() - begin);
    std::size_t next = 0;
    for (const timed_op& o : pieces) REQUIRE(o == path[next++]);
  }
}

TEST_CASE("what goes on is one piece, however long") {
  const dynamic_array<path_piece> pieces = folded(train(100'000), 0);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].times == 100'000);
  CHECK(pieces[0].every == 5);
  CHECK(pieces[0].ops.size() == 1);
}

TEST_CASE("an operation that is late parts two pieces") {
  std::vector<timed_op> path = train(200);
  for (std::size_t i = 100; i < 200; ++i) ++path[i].span.start, ++path[i].span.finish;
  const dynamic_array<path_piece> pieces = folded(path, 0);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].times == 100);
  CHECK(pieces[1].times == 100);
}

TEST_CASE("a few operations stay as they are") {
  const dynamic_array<path_piece> pieces = folded(train(8), 0);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].times == 1);
  CHECK(pieces[0].ops.size() == 8);
  CHECK(folded({}, 0).empty());
}

}  // namespace path_fold_test
