// SPDX-License-Identifier: BSL-1.0
// The infeed of a run holds what enters its pipeline.
// expect: ipuflow: an infeed is given items of basic_string<char>, which the pipeline does not take; give its input, or a std::tuple of all inputs and values per sample
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/run/feeds.hpp>

#include <string>
#include <vector>

using namespace ipuflow;

constexpr auto twice = [](int x) { return 2 * x; };
constexpr auto p = pipeline(input<int>, stage(block<"a">(twice)).ipu<0>(), stage(block<"b">(twice)).ipu<1>());

int main() {
#ifdef EXPECT_FAILURE
  const std::vector<std::string> items{"1", "2"};
#else
  const std::vector<short> items{1, 2};
#endif
  [[maybe_unused]] auto ends = run::feeds(p, items);
}
