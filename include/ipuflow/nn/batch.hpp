// SPDX-License-Identifier: BSL-1.0
// The views of micro-batches that kernels read and write, owned by the caller. A value of shape <C, H, W> lies as
// groups of C*H*W lanes, one after another; the lanes behind the last sample of the last group are padding. Inputs are
// padded with zeros and output gradients too, so padding adds nothing to any gradient. A value of two axes is a sequence:
// its lanes hold positions, sample after sample, so few long samples fill them as many short ones do.
#pragma once

#include <ipuflow/core/shape.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// Positions by features, and how many positions a sample has.
template <class Shape>
inline constexpr std::size_t positions_in = 0;
template <std::size_t Positions, std::size_t Features>
inline constexpr std::size_t positions_in<shape<Positions, Features>> = Positions;

template <class Shape>
concept sequence_shape = positions_in<Shape> > 0;

/// The vectors that a sample of a shape is made of, for layers that look at one at a time, and their shape.
template <class Shape>
struct rows_in {
  static constexpr std::size_t count = 1;
  using shape_type = Shape;
};
template <std::size_t Positions, std::size_t Features>
struct rows_in<shape<Positions, Features>> {
  static constexpr std::size_t count = Positions;
  using shape_type = shape<Features>;
};

}  // namespace impl

/// The vector and the lane of one number of a batch.
struct lane_place {
  std::size_t vector = 0;
  std::size_t lane = 0;
};

/// `positions`: of a sequence; otherwise 0.
constexpr lane_place place_of(std::size_t sample, std::size_t element, std::size_t elements, std::size_t positions) {
  const std::size_t rows = positions == 0 ? 1 : positions;
  const std::size_t in_row = elements / rows;
  const std::size_t row = sample * rows + (positions == 0 ? 0 : element / in_row);
  return {row / lane_count * in_row + (positions == 0 ? element : element % in_row), row % lane_count};
}

/// The vectors that hold some samples.
constexpr std::size_t vectors_of(std::size_t samples, std::size_t elements, std::size_t positions) {
  return positions == 0 ? groups_for(samples) * elements : groups_for(samples * positions) * (elements / positions);
}

/// One value of a micro-batch, as vectors of one element each; `T` is const where it is only read. A gradient that no
/// layer reads has no memory.
template <class T, class Shape>
struct batch {
  using lane_type = std::conditional_t<std::is_const_v<T>, const lanes<std::remove_const_t<T>>, lanes<T>>;
  using reading = batch<const T, Shape>;
  using shape_type = Shape;
  static constexpr std::size_t elements = Shape::elements;

  lane_type* data = nullptr;
  std::size_t groups = 0;
  std::size_t samples = 0;

  [[nodiscard]] constexpr std::size_t size() const {
    return impl::sequence_shape<Shape> ? vectors_of(samples, elements, impl::positions_in<Shape>) : groups * elements;
  }
  constexpr lane_type& operator[](std::size_t index) const { return data[index]; }
  [[nodiscard]] constexpr bool wanted() const { return data != nullptr; }
  [[nodiscard]] constexpr lane_type* group(std::size_t index) const { return data + index * elements; }

  /// The number of lanes of a group that hold a sample.
  [[nodiscard]] constexpr std::size_t samples_in(std::size_t index) const {
    const std::size_t before = index * lane_count;
    return samples - before < lane_count ? samples - before : lane_count;
  }

  /// The place of an element of a sample.
  [[nodiscard]] static constexpr lane_place place_of(std::size_t sample, std::size_t element) {
    return nn::place_of(sample, element, elements, impl::positions_in<Shape>);
  }

  constexpr reading read() const { return {data, groups, samples}; }
};

/// The rows of a batch, for layers that look at one vector at a time: the positions of a sequence, sample after sample. All else
/// is its own rows.
template <class T, class Shape>
[[nodiscard]] constexpr auto rows_of(batch<T, Shape> all) {
  using rows = impl::rows_in<Shape>;
  if constexpr (impl::sequence_shape<Shape>) all.groups = groups_for(all.samples * rows::count);
  return batch<T, typename rows::shape_type>{all.data, all.groups, all.samples * rows::count};
}

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
