// SPDX-License-Identifier: BSL-1.0
// Oracle: the standard library, on rows of every kind that quicksort is known to suffer from.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/core/sorting.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sorting_test {

namespace algorithms = ipuflow::algorithms;

static_assert([] {
  std::array<int, 40> row{};
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<int>(i * 27 % 40);
  algorithms::sort(row.begin(), row.end());
  return algorithms::is_sorted(row.begin(), row.end()) && *algorithms::lower_bound(row.begin(), row.end(), 17) == 17;
}());

/// Rows of one size: in order, the other way round, all alike, few kinds, a roof, a saw, by chance.
std::vector<std::vector<std::uint64_t>> rows_of(std::size_t size) {
  std::vector<std::vector<std::uint64_t>> rows(7, std::vector<std::uint64_t>(size));
  for (std::size_t i = 0; i < size; ++i) {
    rows[0][i] = i;
    rows[1][i] = size - i;
    rows[2][i] = 7;
    rows[3][i] = ipuflow::mixed_bits(i) % 4;
    rows[4][i] = i < size / 2 ? i : size - i;
    rows[5][i] = i % 10;
    rows[6][i] = ipuflow::mixed_bits(i);
  }
  return rows;
}

TEST_CASE("a row comes out as the standard library sorts it") {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 15u, 16u, 17u, 18u, 33u, 100u, 1000u, 5000u}) {
    CAPTURE(size);
    for (std::vector<std::uint64_t>& row : rows_of(size)) {
      std::vector<std::uint64_t> theirs = row, down = row;
      std::sort(theirs.begin(), theirs.end());
      CHECK(algorithms::is_sorted(row.begin(), row.end()) == std::is_sorted(row.begin(), row.end()));
      algorithms::sort(row.begin(), row.end());
      CHECK(row == theirs);
      algorithms::sort(down.begin(), down.end(), [](std::uint64_t a, std::uint64_t b) { return a > b; });
      std::reverse(down.begin(), down.end());
      CHECK(down == theirs);
    }
  }
}

/// McIlroy's adversary: whatever is asked, it answers so that the pivot is among the smallest that are left.
struct adversary {
  explicit adversary(std::size_t size) : value(size, gas) {}
  bool operator()(std::size_t a, std::size_t b) {
    ++asked;
    if (value[a] == gas && value[b] == gas) (a == candidate ? value[a] : value[b]) = solid++;
    if (value[a] == gas) candidate = a;
    if (value[b] == gas) candidate = b;
    return value[a] < value[b];
  }
  static constexpr std::size_t gas = 1u << 30;
  std::vector<std::size_t> value;
  std::size_t solid = 0, candidate = 0, asked = 0;
};

TEST_CASE("whoever answers, n log n questions are enough") {
  for (const std::size_t size : {100u, 1000u, 10000u, 100000u}) {
    CAPTURE(size);
    adversary wrong{size};
    std::vector<std::size_t> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = i;
    algorithms::sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return wrong(a, b); });
    std::size_t halvings = 0;
    for (std::size_t left = size; left > 1; left /= 2) ++halvings;
    CHECK(wrong.asked < 5 * size * halvings);
    CHECK(std::is_sorted(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return wrong.value[a] < wrong.value[b]; }));
  }
}

TEST_CASE("elements that can only be moved are sorted, and none is lost") {
  for (const std::vector<std::uint64_t>& row : rows_of(300)) {
    std::vector<std::pair<std::unique_ptr<std::uint64_t>, std::string>> all;
    for (const std::uint64_t n : row) all.emplace_back(std::make_unique<std::uint64_t>(n), std::to_string(n));
    algorithms::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return *a.first < *b.first; });
    std::vector<std::uint64_t> mine, theirs = row;
    for (const auto& [n, text] : all) {
      REQUIRE((n && text == std::to_string(*n)));
      mine.push_back(*n);
    }
    std::sort(theirs.begin(), theirs.end());
    CHECK(mine == theirs);
  }
}

TEST_CASE("bounds in sorted rows are the standard library's") {
  for (const std::size_t size : {0u, 1u, 2u, 7u, 8u, 100u}) {
    for (std::vector<std::uint64_t>& row : rows_of(size)) {
      std::sort(row.begin(), row.end());
      for (std::uint64_t n = 0; n <= size + 2; ++n) {
        REQUIRE(algorithms::lower_bound(row.begin(), row.end(), n) == std::lower_bound(row.begin(), row.end(), n));
        REQUIRE(algorithms::upper_bound(row.begin(), row.end(), n) == std::upper_bound(row.begin(), row.end(), n));
      }
    }
  }
}

}  // namespace sorting_test
