// SPDX-License-Identifier: BSL-1.0
// The four-block MNIST network as shapes: what flows between its stages, and how it is regrouped onto two IPUs.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>

using namespace ipuflow;

// begin: description
constexpr auto mnist = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)).ipu<1>(),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)).ipu<2>(),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());

static_assert(stages(mnist)[1].output_bytes == bytes_of<tensor<float, 20, 4, 4>> + 1_B);  // and the label, carried
static_assert(std::is_same_v<stage_output<decltype(mnist), 3>, std::tuple<tensor<float, 10>, tensor<float>>>);
// end: description

// begin: schedule
constexpr auto grouped = schedule::grouped(training(mnist), micro_batches<16>);
static_assert(accept<schedule::verify(grouped)>());                                  // complete, ordered, no deadlock
static_assert(schedule::fifo_depths(grouped) == per_stage(6, 4, 2, 0));
static_assert(schedule::in_flight(grouped) == per_stage(7, 5, 3, 1));                // 2n + 1, n stages after this one
// end: schedule

// begin: regroup
constexpr auto halves = regroup(mnist, stage<"B1", "B2">().ipu<0>(), stage<"B3", "B4">().ipu<1>());
static_assert(halves.stage_count == 2);

// A stage may begin inside a block: "B1[1]" is block B1 from its op 1 on.
constexpr auto even = regroup(mnist, stage<"B1">().ipu<0>(), stage<"B1[1]", "B2">().ipu<1>(), stage<"B3", "B4">().ipu<2>());
static_assert(even.stage_count == 3 && stages(even)[1].name.view() == "B1[1]+B2");
static_assert(stages(even)[0].output_bytes == bytes_of<tensor<float, 10, 24, 24>> + 1_B);  // what leaves the convolution
// end: regroup

// begin: begin
constexpr auto same = regroup_at<"B1[1]", "B3">(mnist);
static_assert(std::is_same_v<decltype(same), decltype(even)>);
// end: begin

template <class Pipeline>
void print(const char* title, const Pipeline& p) {
  std::printf("%s\n", title);
  for (const stage_facts& s : stages(p)) {
    std::printf("  %-6s on IPU %zu: %5zu bytes in, %5zu bytes out: %s\n", s.name.data(), s.ipus[0],
                static_cast<std::size_t>(s.input_bytes.value), static_cast<std::size_t>(s.output_bytes.value),
                s.output.data());
  }
}

int main() {
  print("four stages", mnist);
  print("two stages", halves);
  print("three, cut inside a block", even);
}
