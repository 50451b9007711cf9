// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/tree_sum.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tree_sum_test {

using namespace ipuflow;

namespace {

/// How the tree over so many copies is put together, where branches of up to `whole` copies are at hand.
std::string shape(std::size_t first, std::size_t end, std::size_t whole = 1) {
  if (end - first <= whole) return std::to_string(first) + (end - first > 1 ? "-" + std::to_string(end - 1) : "");
  const std::size_t middle = train::impl::tree_middle(first, end);
  return "(" + shape(first, middle, whole) + "+" + shape(middle, end, whole) + ")";
}

float leaf(std::size_t copy, std::size_t i) { return 1.0f / static_cast<float>(3 * copy + 7 * i + 1); }

}  // namespace

TEST_CASE("a branch has the greatest power of two on its left") {
  CHECK(shape(0, 2) == "(0+1)");
  CHECK(shape(0, 3) == "((0+1)+2)");
  CHECK(shape(0, 6) == "(((0+1)+(2+3))+(4+5))");
  CHECK(shape(0, 8, 4) == "(0-3+4-7)");
}

TEST_CASE("whoever adds up which branches, the sum is the same bit for bit") {
  for (const std::size_t copies : {1u, 2u, 3u, 5u, 8u, 13u}) {
    std::vector<float> one(100), other(100);
    const auto single = [](std::size_t a, std::size_t b) { return b - a == 1; };
    const auto write = [](std::size_t a, std::size_t, std::span<float> to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = leaf(a, i);
      return static_cast<const float*>(to.data());
    };
    CHECK(train::impl::tree_sum(0, copies, one, single, write) == one.data());
    std::vector<float> at_hand(100 * copies);
    for (std::size_t i = 0; i < at_hand.size(); ++i) at_hand[i] = leaf(i / 100, i % 100);
    const float* const sum = train::impl::tree_sum(0, copies, other, single, [&](std::size_t a, std::size_t, std::span<float>) { return std::as_const(at_hand).data() + 100 * a; });
    CHECK(std::equal(one.begin(), one.end(), sum));
    for (const std::size_t whole : {2u, 4u, 16u}) {
      train::impl::tree_sum(0, copies, other, [&](std::size_t a, std::size_t b) { return b - a <= whole; },
                            [&](std::size_t a, std::size_t b, std::span<float> to) { return train::impl::tree_sum(a, b, to, single, write); });
      CHECK(other == one);
    }
  }
}

TEST_CASE("the sum over three copies is that from left to right") {
  std::vector<float> sum(1);
  train::impl::tree_sum(0, 3, sum, [](std::size_t a, std::size_t b) { return b - a == 1; },
                        [](std::size_t a, std::size_t, std::span<float> to) {
                          to[0] = leaf(a, 0);
                          return static_cast<const float*>(to.data());
                        });
  CHECK(sum[0] == (leaf(0, 0) + leaf(1, 0)) + leaf(2, 0));
}

TEST_CASE("chunks cover all numbers once") {
  std::size_t next = 0;
  train::impl::for_each_chunk(2500, [&](std::size_t at, std::size_t count) {
    CHECK(at == next);
    CHECK(count <= train::impl::tree_chunk);
    next += count;
  });
  CHECK(next == 2500);
}

}  // namespace tree_sum_test
