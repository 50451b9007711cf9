// SPDX-License-Identifier: BSL-1.0
// A published network on two stages: its blocks by name, and what flows between them.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <cstdint>
#include <cstdio>

using namespace ipuflow;

constexpr auto whole = single_stage(input<float, 3, 64, 64>, per_sample<"class", std::int32_t>, zoo::resnet18<10>,
                                    block<"loss">(use<"class">(nn::cross_entropy)));

constexpr auto network = regroup(whole,
    stage<"conv1", "layer1.0", "layer1.1", "layer2.0", "layer2.1">().ipu<0>(),
    stage<"layer3.0", "layer3.1", "layer4.0", "layer4.1", "fc", "loss">().ipu<1>());

static_assert(nn::stage_program<decltype(network), 0>::parameter_count == 683'072);

int main() {
  for (const stage_facts& s : stages(network)) std::printf("%s gives %s\n", s.name.data(), s.output.data());
}
// end: whole
