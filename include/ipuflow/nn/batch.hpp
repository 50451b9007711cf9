// SPDX-License-Identifier: BSL-1.0
// What kernels read and write: views of micro-batches, owned by whoever calls. A value of shape <C, H, W> lies as
// groups of C*H*W lanes, one after another; the lanes behind the last sample of the last group are padding. Inputs are
// padded with zeros and output gradients too, so padding adds nothing to any gradient.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

/// One value of a micro-batch; `T` is const where it is only read.
template <class T, class Shape>
struct batch {
  using lane_type = std::conditional_t<std::is_const_v<T>, const lanes<std::remove_const_t<T>>, lanes<T>>;
  using reading = batch<const T, Shape>;
  static constexpr std::size_t elements = Shape::elements;

  lane_type* data = nullptr;
  std::size_t groups = 0;
  std::size_t samples = 0;

  [[nodiscard]] constexpr lane_type* group(std::size_t index) const { return data + index * elements; }

  /// How many lanes of a group hold a sample.
  [[nodiscard]] constexpr std::size_t samples_in(std::size_t index) const {
    const std::size_t before = index * lane_count;
    return samples - before < lane_count ? samples - before : lane_count;
  }

  constexpr reading read() const { return {data, groups, samples}; }
};

/// What the numbers of one layer are during one pass: the trained ones, and those that `forward` keeps in training
/// (running statistics), which nothing trains.
template <class T>
struct parameters {
  const T* values = nullptr;
  T* state = nullptr;
};

/// What else a pass depends on. Recomputing a forward pass must not update running statistics a second time, so
/// `updates_state` is false then.
struct context {
  std::uint64_t seed = 0;         // of the layer: no two layers share one
  std::uint64_t micro_batch = 0;  // counted over the whole training
  std::size_t first_group = 0;    // where the batch at hand begins in its micro-batch
  bool training = true;
  bool updates_state = true;
};

/// What a layer needs and costs, for one sample; a layer says it with `constexpr layer_facts facts(layer, input
/// type...)`.
struct layer_facts {
  std::size_t parameters = 0;       // trained numbers
  std::size_t biases = 0;           // of these, the last ones: a tensor of their own (biases, shifts)
  std::size_t state = 0;            // numbers that forward updates while training
  std::size_t forward_work = 0;     // multiply-adds
  std::size_t input_work = 0;       // of backward_inputs
  std::size_t weight_work = 0;      // of backward_weights
  bool whole_batch = false;         // wants all groups in one call: looks at all samples, or reads weights once for all
  bool inputs_need_input = true;    // backward_inputs reads the inputs
  bool inputs_need_output = false;  // backward_inputs reads the outputs
  bool same_memory = false;         // output 0 is input 0 seen in another shape: nothing is computed for it
  bool same_gradient = false;       // and so is its gradient
  bool checkpoint = false;          // recomputation begins again here
};

}  // namespace ipuflow::nn
