// SPDX-License-Identifier: BSL-1.0
// The types of a CSV file's columns are those that cells become.
// expect: ipuflow: a cell of a file cannot be read as .*vector.*; give numbers, std::array of numbers, std::string, or feed::label<> for words that are classes
#include <ipuflow/feed/sources/csv.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace feed = ipuflow::feed;

std::size_t rows() {
#ifdef EXPECT_FAILURE
  return feed::csv<std::vector<float>>("points.csv").size();
#else
  return feed::csv<std::array<float, 2>>("points.csv").size();
#endif
}

int main() { return static_cast<int>(rows()); }
