// SPDX-License-Identifier: BSL-1.0
// The smallest pipeline: two functions, two stages, checked when it is compiled. Prints its stages and what it makes of 3.
// begin: whole
#include <ipuflow/graph.hpp>

#include <cstdio>

using namespace ipuflow;

constexpr int twice(int x) { return 2 * x; }
constexpr double a_third(int x) { return x / 3.0; }

constexpr auto numbers = pipeline(input<int>,
    stage(block<"double">(twice)).ipu<0>(),
    stage(block<"divide">(a_third)).ipu<1>());
static_assert(numbers(3) == 2.0);  // a constant expression runs the whole of it

int main() {
  for (const stage_facts& s : stages(numbers)) {
    std::printf("stage '%s' on IPU %zu takes %s and gives %s\n", s.name.data(), s.ipus[0], s.input.data(), s.output.data());
  }
  std::printf("of 3 it makes %g\n", numbers(3));
}
// end: whole
