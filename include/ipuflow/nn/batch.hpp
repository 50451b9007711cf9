// SPDX-License-Identifier: BSL-1.0
// The views of micro-batches that kernels read and write, owned by the caller. A value of shape <C, H, W> lies as
// groups of C*H*W lanes, one after another; the lanes behind the last sample of the last group are padding. Inputs are
// padded with zeros and output gradients too, so padding adds nothing to any gradient.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

/// One value of a micro-batch, as vectors of one element each; `T` is const where it is only read. A gradient that no
/// layer reads has no memory.
template <class T, class Shape>
struct batch {
  using lane_type = std::conditional_t<std::is_const_v<T>, const lanes<std::remove_const_t<T>>, lanes<T>>;
  using reading = batch<const T, Shape>;
  static constexpr std::size_t elements = Shape::elements;

  lane_type* data = nullptr;
  std::size_t groups = 0;
  std::size_t samples = 0;

  [[nodiscard]] constexpr std::size_t size() const { return groups * elements; }
  constexpr lane_type& operator[](std::size_t index) const { return data[index]; }
  [[nodiscard]] constexpr bool wanted() const { return data != nullptr; }
  [[nodiscard]] constexpr lane_type* group(std::size_t index) const { return data + index * elements; }

  /// The number of lanes of a group that hold a sample.
  [[nodiscard]] constexpr std::size_t samples_in(std::size_t index) const {
    const std::size_t before = index * lane_count;
    return samples - before < lane_count ? samples - before : lane_count;
  }

  constexpr reading read() const { return {data, groups, samples}; }
};

/// The numbers of a stage during one pass: the trained ones, and those that `forward` keeps in training (running
/// statistics), which nothing trains.
template <class T>
struct parameters {
  const T* values = nullptr;
  T* state = nullptr;
};

/// The context of a pass: what it depends on beside its values. Recomputation must not update running statistics a second time, so
/// `updates_state` is false then.
struct context {
  std::uint64_t seed = 0;         // of the layer: no two layers share one
  std::uint64_t micro_batch = 0;  // counted over the whole training
  std::size_t first_group = 0;    // where the batch at hand begins in its micro-batch
  bool training = true;
  bool updates_state = true;
};

}  // namespace ipuflow::nn
