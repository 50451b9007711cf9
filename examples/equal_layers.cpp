// SPDX-License-Identifier: BSL-1.0
// A network of 24 equal layers, described once: split into stages, cut inside a layer, and counted before anything runs.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: description
constexpr auto layer = block<"layer">(keep<"skip">, nn::layer_norm, nn::linear<256>, nn::gelu, nn::linear<64>, use<"skip">(nn::add));

constexpr auto network = pipeline(input<float, 64>, per_sample<"label", std::uint8_t>,
    split<4>(repeat<24>(layer)),
    stage(block<"classes">(nn::linear<10>, use<"label">(nn::cross_entropy))));

static_assert(network.stage_count == 5 && network.names()[23] == "layer[23]");
// end: description

// begin: regroup
// The last layers in two stages that begin inside a layer: "layer[18:21]" is three layers, "layer[21][4]" a part of one.
constexpr auto balanced = regroup(network,
    stage<"layer[0:7]">(), stage<"layer[7:14]">(), stage<"layer[14:21]", "layer[21]">(), stage<"layer[21][4]", "layer[22:24]", "classes">());
static_assert(stages(balanced)[2].output_bytes == bytes_of<tensor<float, 256>> + bytes_of<tensor<float, 64>> + 1_B);  // inside, and the skip
// end: regroup

template <class P>
constexpr std::size_t parameters_of(const P&) {
  return []<std::size_t... Stage>(std::index_sequence<Stage...>) {
    return (nn::stage_program<P, Stage>::parameter_count + ...);
  }(std::make_index_sequence<P::stage_count>{});
}
static_assert(parameters_of(network) == 24 * (2 * 64 + 64 * 256 + 256 + 256 * 64 + 64) + 64 * 10 + 10);
static_assert(parameters_of(balanced) == parameters_of(network));

int main() {
  for (const stage_facts& s : stages(balanced)) std::printf("'%s' gives %s\n", s.name.data(), s.output.data());
}
