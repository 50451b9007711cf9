// SPDX-License-Identifier: BSL-1.0
// The network of the MNIST tutorial by itself. Prints what leaves each of its stages, and the FIFOs of a schedule.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

constexpr auto mnist = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));

constexpr auto timetable = schedule::grouped(training(mnist), micro_batches<16>);
static_assert(accept<schedule::verify(timetable)>());  // complete, ordered, no deadlock

int main() {
  const auto depths = schedule::fifo_depths(timetable);
  for (std::size_t s = 0; s < mnist.stage_count; ++s) {
    const stage_facts facts = stages(mnist)[s];
    std::printf("%s on IPU %zu: %zu values wait for their backward pass; it gives %s\n", facts.name.data(), facts.ipus[0],
                depths[s], facts.output.data());
  }
}
// end: whole
