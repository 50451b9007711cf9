// SPDX-License-Identifier: BSL-1.0
// The tensors of a model by name, to look into what was learned: where each begins in `session.parameters()->values`, and
// in `session.gradients()`, which has the same order.
#pragma once

#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ipuflow::train {

/// A tensor of trained numbers: those from `first` on.
struct named_tensor {
  std::string name{};  ///< "B1[0] weights": of the first layer of block B1
  std::size_t first = 0;
  std::size_t count = 0;

  friend bool operator==(const named_tensor&, const named_tensor&) = default;
};

/// All of a pipeline's, in the order of the model.
template <class P>
[[nodiscard]] std::vector<named_tensor> named_tensors(const P&) {
  std::vector<named_tensor> all;
  impl::for_each_tensor<P>([&](std::size_t stage, const tensor_facts& t, std::size_t first) {
    std::string name(t.block);
    name += "[" + std::to_string(t.layer) + "] ";
    name += t.biases ? "biases" : "weights";
    all.push_back({std::move(name), impl::offsets_of<P>.values[stage] + first, t.elements});
  });
  return all;
}

}  // namespace ipuflow::train
