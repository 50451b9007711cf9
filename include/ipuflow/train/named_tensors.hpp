// SPDX-License-Identifier: BSL-1.0
// The tensors of a model by name, to look into what was learned: where each begins in `session.parameters()->values`, and
// in `session.gradients()`, which has the same order.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

/// A tensor of trained numbers: those from `first` on.
struct named_tensor {
  std::string name{};     ///< "B1[0] weights": of the first layer of block B1
  std::size_t first = 0;  ///< index among the model's parameters
  std::size_t count = 0;  ///< numbers
  bounded_vector<std::size_t, 4> extents{};  ///< slowest first: a convolution's weights are [filter][channel][row][column]

  friend bool operator==(const named_tensor&, const named_tensor&) = default;
};

/// All of a pipeline's, in the order of the model.
template <class P>
[[nodiscard]] light_vector<named_tensor> named_tensors(const P&) {
  light_vector<named_tensor> all;
  impl::for_each_tensor<P>([&](std::size_t stage, const tensor_facts& t, std::size_t first) {
    std::string name(t.block);
    name += '[';
    name += std::to_string(t.layer);
    name += "] ";
    name += t.biases ? "biases" : "weights";
    all.push_back({std::move(name), impl::offsets_of<P>.values[stage] + first, t.elements, t.extents});
  });
  return all;
}

/// The running state of its layers, in the order of `state` of the model: "B1[1] state", of batch norm the means of the
/// channels and then the variances.
template <class P>
[[nodiscard]] light_vector<named_tensor> named_state(const P&) {
  light_vector<named_tensor> all;
  impl::for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
    for (const auto& step : nn::stage_program<P, S>::plan.steps) {
      if (step.facts.state == 0) continue;
      std::string name(P::origin_of(step.block).name);
      name += '[';
      name += std::to_string(step.whole_op);
      name += "] state";
      all.push_back({std::move(name), impl::offsets_of<P>.state[S] + step.state_begin, step.facts.state, {{step.facts.state}, 1}});
    }
  });
  return all;
}

}  // namespace ipuflow::train
