// SPDX-License-Identifier: BSL-1.0
// The contract of a layer's bound: what its passes take on the fullest tile, at most, as a constant expression. It is found like the
// layer's facts: bound_on_tiles(layer, in<types...>, out<types...>, const bound_question&). A product says its sizes alone, as all products
// of a stage are cut together. A layer without one has no bound, and a network with it is not proved to fit.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/bounds/operation_bound.hpp>
#include <ipuflow/ipu/bounds/product_bound.hpp>
#include <ipuflow/nn/layer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace ipuflow::nn {

/// The chip and the numbers that layers are bounded for.
struct bound_question {
  ipu::architecture chip = ipu::mk2;
  std::size_t samples = 1;                                   ///< of a micro-batch
  ipu::element_type parameters = ipu::element_type::f32;     ///< of trained tensors
  ipu::element_type accumulators = ipu::element_type::f32;   ///< of sums of their gradients
  double memory_proportion = 0.6;                            ///< of a tile's memory, for what an operation needs besides its operands
  bool half_partials = false;                                ///< products of halves are summed in halves
  bool recomputes = false;                                   ///< the forward pass runs twice
  bool computes_inputs = true;                               ///< the layer at hand has a backward pass for its inputs
  bool shared = false;                                       ///< the layer at hand has weights that others share
  bool by_columns = false;                                   ///< and these are stored by columns, as one of those looks up rows of them

  [[nodiscard]] constexpr bytes memory() const { return proportion_of(chip.tile_memory, memory_proportion); }
  /// The most bytes on a tile of `elements` for each sample, spread evenly.
  [[nodiscard]] constexpr std::uint64_t spread(ipu::element_type type, std::size_t elements) const {
    return ipu::spread_bound(type, elements * samples, chip.tiles);
  }
  /// Of `count` rows, of which every tile has whole ones.
  [[nodiscard]] constexpr std::uint64_t rows(std::size_t count, std::size_t bytes_of_each) const {
    return ipu::divided_up(count, chip.tiles) * bytes_of_each;
  }
};

/// One pass of a layer on the fullest tile. Code of exchanges and control is capped, by tests over many networks, not derived.
struct pass_bound {
  std::uint64_t temporary = 0;  ///< bytes that live no longer than the pass
  std::uint64_t exchange = 0;   ///< bytes of exchange code
  std::uint64_t steps = 0;      ///< of the program
  std::uint64_t state = 0;      ///< bytes of its vertices

  /// Another operation behind it: what lives for a time shares memory.
  constexpr pass_bound& then(const pass_bound& other) {
    temporary = algorithms::max(temporary, other.temporary);
    exchange += other.exchange, steps += other.steps, state += other.state;
    return *this;
  }
  friend constexpr bool operator==(const pass_bound&, const pass_bound&) = default;
};

/// A codelet by its name: it stands on a tile once, whatever layers use it.
struct code_bound {
  std::string_view name{};
  std::uint64_t bytes = 0;

  friend constexpr bool operator==(const code_bound&, const code_bound&) = default;
};
using code_list = bounded_vector<code_bound, 12>;

/// Bytes of a vertex's state, with three operands.
inline constexpr std::uint64_t state_of_vertex = 28;

struct layer_bound {
  bool is_known = true;
  pass_bound forward{};
  pass_bound to_inputs{};
  pass_bound to_weights{};
  code_list code{};
  ipu::product_sizes product{};       ///< of one sample, where the layer is one: its passes are bounded with those of the stage
  std::uint64_t notes = 0;            ///< bytes that its forward pass leaves for its backward passes beside values
  std::size_t weights = 0;            ///< elements of its weights on a tile, where they are not spread evenly
  std::size_t picked_together = 0;    ///< elements of what it reads that stand together, if it picks pixels of images
  bool in_rows = false;               ///< what it reads is row after row, never in panels

  [[nodiscard]] constexpr bool is_product() const { return product.rows > 0; }
};

namespace impl {

template <class Layer, class In, class Out>
concept bounded_layer = requires(const bound_question& q) {
  { bound_on_tiles(Layer{}, In{}, Out{}, q) } -> std::same_as<layer_bound>;
};

/// The code of a copy from one even layout to another: its pieces come from a few tiles [capped].
inline constexpr std::uint64_t exchange_of_copy = 40;
inline constexpr std::uint64_t elementwise_bytes = 256;

/// An operation whose operands are brought to where it runs, and back: all their bytes, and their number.
constexpr pass_bound brought(std::uint64_t operands, std::size_t count) {
  return {operands, exchange_of_copy * count, count + 1, state_of_vertex};
}

}  // namespace impl

}  // namespace ipuflow::nn
