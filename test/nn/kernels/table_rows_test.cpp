// SPDX-License-Identifier: BSL-1.0
// Rows that are gathered and rows that are added to are each other's reverse: both name the same numbers of the table.
#include "../layer_check.hpp"

#include <ipuflow/nn/kernels/table_rows.hpp>

#include <cstddef>
#include <vector>

namespace table_rows_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class T, std::size_t Features>
void check_rows(std::size_t rows) {
  constexpr std::size_t entries = 6;
  const auto entry_of = [](std::size_t row) { return row * row % entries; };
  std::vector<T> table(entries * Features), sums(table.size(), T{1}), wanted = sums;
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = nn::number<T>(noise(1, i));
  owned<T, shape<Features>> found{rows};
  found.fill(T{3});
  nn::impl::gather_rows<false>(table.data(), found.view(), entry_of);
  for (std::size_t r = 0; r < nn::groups_for(rows) * nn::lane_count; ++r) {
    for (std::size_t f = 0; f < Features; ++f) REQUIRE(found.get(r, f) == (r < rows ? table[entry_of(r) * Features + f] : T{}));
  }
  nn::impl::gather_rows<true>(table.data(), found.view(), entry_of);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t f = 0; f < Features; ++f) {
      const T once = table[entry_of(r) * Features + f];
      REQUIRE(found.get(r, f) == static_cast<T>(once + once));
      wanted[entry_of(r) * Features + f] = static_cast<T>(wanted[entry_of(r) * Features + f] + found.get(r, f));
    }
  }
  nn::impl::add_to_rows(sums.data(), found.read(), entry_of);
  REQUIRE(sums == wanted);
}

}  // namespace

TEST_CASE("rows of a table, of all widths around that of a vector") {
  check_rows<float, 1>(1);
  check_rows<float, nn::lane_count>(nn::lane_count + 1);
  check_rows<double, 2 * nn::lane_count + 1>(3);
  check_rows<half, nn::lane_count>(5);
}

}  // namespace table_rows_test
