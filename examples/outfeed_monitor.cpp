// SPDX-License-Identifier: BSL-1.0
// A thread of the host prints each loss while the loop that computes it is still running; the loop waits if the printing
// is slower. Prints every step and its loss.
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>

#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

using namespace ipuflow;

int main() {
  // begin: monitor
  feed::outfeed<float> losses{{.outputs = {.mode = feed::output_mode::all}}};
  std::jthread monitor{[results = losses.follow()]() mutable {
    for (std::size_t step = 0; const float loss : results) std::printf("step %zu loss = %.4f\n", step++, loss);
  }};

  // The line y = 3 x + 1 is found again from four of its points, one at a time.
  const std::vector<std::pair<float, float>> points{{0.0f, 1.0f}, {1.0f, 4.0f}, {-1.0f, -2.0f}, {0.5f, 2.5f}};
  float slope = 0.0f;
  float offset = 0.0f;
  for (std::size_t epoch = 0; epoch < 5; ++epoch) {
    feed::infeed in{points};
    in.run(points.size(), [&](float x, float y) {
      const float error = slope * x + offset - y;
      slope -= 0.5f * error * x;
      offset -= 0.5f * error;
      losses.enqueue(error * error);
    }, losses);
  }
  losses.close();  // the monitor comes to its end
  // end: monitor
}
