// SPDX-License-Identifier: BSL-1.0
// Oracle: the standard library, which says what is a heap and in what order its elements leave.
#include <ipuflow/core/heap.hpp>
#include <ipuflow/core/mixed_bits.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heap_test {

namespace algorithms = ipuflow::algorithms;

static_assert([] {
  int row[]{1, 2, 3};
  for (int n = 1; n <= 3; ++n) algorithms::push_heap(row, row + n);
  algorithms::pop_heap(row, row + 3);
  return row[2] == 3 && row[0] == 2;
}());

TEST_CASE("a heap gives its largest first, whatever came in when") {
  for (std::size_t kind = 0; kind < 4; ++kind) {
    std::vector<std::uint64_t> row, heap, out;
    for (std::size_t i = 0; i < 100; ++i) row.push_back(kind == 0 ? i : kind == 1 ? 100 - i : kind == 2 ? 7 : ipuflow::mixed_bits(i) % 50);
    for (const std::uint64_t n : row) {
      heap.push_back(n);
      algorithms::push_heap(heap.begin(), heap.end());
      REQUIRE(std::is_heap(heap.begin(), heap.end()));
    }
    for (; !heap.empty(); heap.pop_back()) {
      algorithms::pop_heap(heap.begin(), heap.end());
      out.push_back(heap.back());
      REQUIRE(std::is_heap(heap.begin(), heap.end() - 1));
    }
    std::sort(row.rbegin(), row.rend());
    CHECK(out == row);
  }
}

TEST_CASE("an order of one's own decides what comes first") {
  std::vector<int> heap;
  const auto later = [](int a, int b) { return a > b; };
  for (const int n : {5, 1, 4, 2, 3}) {
    heap.push_back(n);
    algorithms::push_heap(heap.begin(), heap.end(), later);
  }
  for (int next = 1; next <= 5; ++next) {
    CHECK(heap.front() == next);
    algorithms::pop_heap(heap.begin(), heap.end(), later);
    heap.pop_back();
  }
}

}  // namespace heap_test
