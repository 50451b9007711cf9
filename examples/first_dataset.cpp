// SPDX-License-Identifier: BSL-1.0
// The smallest dataset: a vector, changed, shuffled and loaded in steps by threads. Prints the steps.
// begin: whole
#include <ipuflow/feed.hpp>

#include <cstdio>
#include <vector>

using namespace ipuflow;

int main() {
  const std::vector<int> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const auto tens = numbers | feed::map([](int n) { return 10 * n; });

  auto steps = feed::async(tens, 4, {.workers = 2, .shuffle = 1});  // four samples a step, loaded ahead of the loop
  for (int epoch = 0; epoch < 2; ++epoch) {                         // in another order each time
    for (auto& [values] : steps) {
      for (const int value : values.elements()) std::printf("%d ", value);
      std::printf("\n");
    }
  }
}
// end: whole
