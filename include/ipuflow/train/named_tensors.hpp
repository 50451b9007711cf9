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

namespace impl {

/// "B1[0] weights"
template <class = void>
[[nodiscard]] std::string tensor_name(std::string_view block, std::size_t layer, const char* what) {
  std::string name(block);
  name += '[';
  name += std::to_string(layer);
  name += "] ";
  return name += what;
}

template <class = void>
[[nodiscard]] light_vector<named_tensor> named_tensors_of(const network_layout& network) {
  light_vector<named_tensor> all;
  network.each_tensor([&](std::size_t stage, const tensor_facts& t, std::size_t first) {
    all.push_back({tensor_name(t.block, t.layer, t.biases ? "biases" : "weights"), network.values[stage] + first, t.elements, t.extents});
  });
  return all;
}

template <class = void>
[[nodiscard]] light_vector<named_tensor> named_state_of(const network_layout& network) {
  light_vector<named_tensor> all;
  for (std::size_t stage = 0; stage < network.plan.stages.size(); ++stage) {
    for (const auto& step : network.plan.stages[stage].steps) {
      if (step.facts.state == 0) continue;
      const std::size_t count = step.facts.state;
      all.push_back({tensor_name(network.plan.block_of(step), step.whole_op, "state"), network.state[stage] + step.state_begin, count, {{count}, 1}});
    }
  }
  return all;
}

}  // namespace impl

/// All of a pipeline's, in the order of the model.
template <class P>
[[nodiscard]] light_vector<named_tensor> named_tensors(const P&) {
  return impl::named_tensors_of(impl::layout_of<P>);
}

/// The running state of its layers, in the order of `state` of the model: "B1[1] state", of batch norm the means of the
/// channels and then the variances.
template <class P>
[[nodiscard]] light_vector<named_tensor> named_state(const P&) {
  return impl::named_state_of(impl::layout_of<P>);
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
namespace ipuflow::train::impl {
extern template light_vector<named_tensor> named_tensors_of<>(const network_layout&);
extern template light_vector<named_tensor> named_state_of<>(const network_layout&);
}
#endif
