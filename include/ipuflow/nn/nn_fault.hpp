// SPDX-License-Identifier: BSL-1.0
// Faults of layers and of their inputs, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

#include <cstddef>

namespace ipuflow::nn {

enum class nn_wrong : unsigned char { nothing, no_kernels, no_lowering, label_too_large };

/// The op in question: its block, its position there, and its type.
struct layer_place {
  fixed_string<60> block{};
  std::size_t op = 0;
  type_text type{};

  friend constexpr bool operator==(const layer_place&, const layer_place&) = default;
};

using nn_fault = fault<nn_wrong, layer_place>;

constexpr message_text sentence(const nn_fault& f) {
  switch (f.kind) {
    case nn_wrong::nothing:
      break;
    case nn_wrong::no_kernels:
      return words("ipuflow: op ", f.where.op, " of block '", f.where.block, "', ", f.where.type,
                   ", is not a layer that can be trained; give it facts() and kernels, or run it as a callable");
    case nn_wrong::no_lowering:
      return words("ipuflow: op ", f.where.op, " of block '", f.where.block, "', ", f.where.type,
                   ", cannot run on tiles; give it lower_forward() and what its backward pass needs beside its kernels");
    case nn_wrong::label_too_large:
      return words("ipuflow: sample ", f.where.op, " of a micro-batch has label ", f.got, " but there are ", f.limit,
                   " classes; labels count from 0");
  }
  return {};
}

}  // namespace ipuflow::nn
