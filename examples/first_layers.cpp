// SPDX-License-Identifier: BSL-1.0
// The smallest network: layers whose shapes the compiler works out. Prints what leaves each stage and its parameters.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstdint>
#include <cstdio>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"see">(nn::conv2d<8, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"say">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy))));

using first_stage = nn::stage_program<decltype(network), 0, float>;
static_assert(first_stage::parameter_count == 8 * 5 * 5 + 8);

int main() {
  for (const stage_facts& s : stages(network)) std::printf("'%s' gives %s\n", s.name.data(), s.output.data());
}
// end: whole
