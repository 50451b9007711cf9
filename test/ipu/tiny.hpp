// SPDX-License-Identifier: BSL-1.0
// A chip of eight tiles with little memory, and codelets that tests use: small enough to work out by hand.
#pragma once

#include <ipuflow/ipu/program/graph.hpp>

inline ipuflow::ipu::architecture tiny_chip() {
  ipuflow::ipu::architecture chip = ipuflow::ipu::mk2;
  chip.tiles = 8;
  chip.tile_memory = ipuflow::bytes{4096};
  chip.code_region = ipuflow::bytes{2048};
  return chip;
}

// begin: codelet
/// out[i] = in[i] + 1; a bundle for each element.
inline ipuflow::ipu::codelet increment() {
  using namespace ipuflow::ipu;
  return {name_from("increment"), ipuflow::bytes{64},
          [](std::span<const float> in, std::span<float> out) {
            for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 1;
          },
          [](const architecture&, lengths n) { return vertex_cost{.bundles = n[0], .flops = n[0]}; }};
}
// end: codelet

