// SPDX-License-Identifier: BSL-1.0
// The contract of a layer on tiles. Its lowerings are found like its kernels; each gets the layer's surroundings and the variables of its values and
// gradients, and returns the steps of a pass: lower_forward(layer, forward_lowering), lower_backward_inputs(layer, inputs_lowering),
// lower_backward_weights(layer, weights_lowering). One that reads its weights by columns says so: weights_on_tiles(layer, forward_lowering), of
// which only the surroundings are there yet; reads_by_columns(layer), if it can do with both and looks at numbers.by_columns. What it makes of
// values in panels it says by panels_on_tiles(layer, const forward_lowering*); without that it finds its values row after row.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/product_cut.hpp>
#include <ipuflow/ipu/ops/replica_parts.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// Real numbers stand on tiles as halves or floats, whole ones as 32 bits, of which bytes of a tensor need eight.
template <element E>
using tile_element =
    std::conditional_t<std::is_integral_v<E>, std::int32_t, std::conditional_t<std::is_same_v<E, half>, half, float>>;
template <element E>
using tile_element_of_tensor = std::conditional_t<std::is_same_v<E, std::uint8_t>, E, tile_element<E>>;

/// A type as it stands on tiles: what `in` and `out` of a lowering are said in.
template <class Type>
struct tiled;
template <element E, std::size_t... Extent>
struct tiled<tensor<E, Extent...>> {
  static constexpr std::size_t elements = shape<Extent...>::elements;
  static constexpr bool real = real_element<E>;
  using element = tile_element_of_tensor<E>;
  using type = tensor<element, Extent...>;
};
template <element E>
struct tiled<E> {
  static constexpr std::size_t elements = 1;
  static constexpr bool real = false;
  using element = tile_element<E>;
  using type = element;
};

}  // namespace impl

/// A value of a micro-batch, or its gradient: sample after sample, each in the order of its shape.
struct on_tiles {
  ipu::variable_id variable{};
  bool is_wanted = true;
  ipu::matrix_order order{};  ///< of all rows of all samples; plain for layers that did not ask for another

  constexpr bool wanted() const { return is_wanted; }
  constexpr operator ipu::variable_id() const { return variable; }
};

namespace impl {

/// Products of what is declared in half are summed in float.
template <class E>
inline constexpr ipu::amp_precision precision_of =
    std::is_same_v<E, half> ? ipu::amp_precision::half_float : ipu::amp_precision::float_float;

}  // namespace impl

/// Evenly over the tiles of a plan, but at least 128 bytes to a tile, in grains of 8 [poplibs' defaults], or of `together` elements.
template <class = void>
inline ipu::mapping spread(const ipu::graph& g, ipu::element_type type, std::size_t elements, const ipu::plan_options& where,
                           std::size_t together = 1) {
  const std::size_t most = elements * ipu::size_of(type) / 128;
  const std::size_t tiles = algorithms::clamp<std::size_t>(most, 1, ipu::tiles_for(g, where));
  return ipu::linear(elements, tiles, where.first_tile, ipu::least_common_multiple(ipu::vector_width(type), together));
}

/// The numbers of one layer: what is trained; the gradients of it, which `add_to` adds to; state; and notes. A layer that takes some says by
/// `notes_on_tiles(layer, const forward_lowering*, samples)` of how many rows of a micro-batch.
struct layer_numbers {
  ipu::variable_id weights{};
  ipu::variable_id biases{};
  ipu::variable_id d_weights{};
  ipu::variable_id d_biases{};
  ipu::variable_id state{};
  bool by_columns = false;  // weights are stored so for a layer that shares them
  ipu::product_cut cut{};   // by which weights are stored, if it fits
  ipu::variable_id notes{};  // what the forward pass leaves for the backward passes, two floats for each of some rows
  bool has_notes = false;    // without them a backward pass finds them again
};

/// The surroundings of a layer on tiles.
struct lowering {
  ipu::graph& g;
  ipu::plan_options where{};
  std::size_t samples = 1;
  layer_numbers numbers{};
  ipu::variable_id micro_batch{};  // its number, counted over the whole training; there if the layer `counts_micro_batches`
  std::uint64_t seed = 0;          // of the layer, if it `counts_micro_batches`: no two layers share one
  bool training = true;
  bool updates_state = true;
  ipu::name_text name{};  // of the layer
  std::size_t replicas = 1;

  /// "B1 conv2d weights"
  ipu::name_text name_of(std::string_view what) const {
    ipu::name_text made = name;
    if (!made.empty()) made += " ";
    made += what;
    return made;
  }

  template <class = void>
  ipu::variable_id temporary(std::string_view what, ipu::element_type type, std::size_t elements) const {
    return g.add_temporary(name_of(what), type, elements, spread(g, type, elements, where));
  }

  /// Trained numbers in the type that the layer computes with.
  template <class = void>
  ipu::arranged as(ipu::variable_id trained, ipu::element_type type) const {
    if (g[trained].type() == type) return {trained, ipu::sequence()};
    const ipu::variable_id made = g.add_temporary(name_of("cast"), type, g[trained].elements(), g[trained].map());
    return {made, ipu::cast(g, trained, made)};
  }

  /// Room for the gradient of a trained tensor in one micro-batch: floats where the tensor is.
  template <class = void>
  ipu::variable_id more_of(ipu::variable_id trained) const {
    return g.add_temporary(name_of("more"), ipu::element_type::f32, g[trained].elements(), g[trained].map());
  }

  /// Adds that to `numbers.d_weights` or `numbers.d_biases`, whatever type they have; to the replica's part, if replicas share
  /// gradients out.
  template <class = void>
  ipu::step add_to(ipu::variable_id gradient, ipu::variable_id more) const {
    if (g[gradient].elements() == g[more].elements()) return ipu::scaled_add(g, gradient, 1, more);
    const ipu::variable_id part = g.add_temporary(name_of("more of a part"), g[more].type(), g[gradient].elements(), g[gradient].map());
    return ipu::sequence(ipu::add_up_parts(g, more, part, replicas), ipu::scaled_add(g, gradient, 1, part));
  }
};

namespace impl {

/// The surroundings of a layer that looks at one row of a value of type `X` at a time: rows are its samples.
template <class X>
lowering of_rows(lowering l) {
  l.samples *= rows_in<typename X::shape_type>::count;
  return l;
}
template <class X>
using row_shape = typename rows_in<typename X::shape_type>::shape_type;

}  // namespace impl

/// One vertex on each tile of `like`, which has one interval there; its field is the number of the first element stored there.
template <class = void>
inline ipu::step on_spread(const lowering& l, std::string_view name, ipu::codelet code, ipu::variable_id like,
                           const light_vector<ipu::operand>& operands) {
  light_vector<ipu::tile_vertex<std::size_t>> vertices;
  for (const ipu::mapped_interval& i : l.g[like].map()) vertices.push_back({i.tile, i.begin});
  const ipu::compute_set_id set = l.g.add_compute_set(name);
  ipu::add_on_tiles(l.g, set, std::move(code), std::move(vertices), operands);
  return ipu::execute(set);
}

/// The use that a layer makes of values in panels, as `matrix_order` has them.
struct panel_use {
  enum class way : unsigned char {
    none,        ///< it wants them row after row
    takes,       ///< any order, if that of all is the same
    multiplies,  ///< it is a product, cut once for all its passes
  };

  way how = way::none;
  std::size_t rows = 0;  ///< of a sample
  std::size_t inputs = 0;  ///< columns of what it reads
  std::size_t outputs = 0;
  ipu::amp_precision type = ipu::amp_precision::float_float;
  std::size_t together = 0;  ///< elements of what it reads row after row that stand on one tile: of an image, whose pixels it picks
};

namespace impl {

/// Of a layer that computes number by number, or row by row.
template <class X, class Y>
constexpr panel_use takes_panels() {
  if constexpr (requires { typename X::shape_type; })
    return {panel_use::way::takes, rows_in<typename X::shape_type>::count, row_shape<X>::elements, row_shape<Y>::elements};
  else
    return {};  // one number for each sample
}

}  // namespace impl

/// Weights that are stored as their layer reads them: in this order, on these tiles.
struct stored_weights {
  ipu::matrix_order order{};
  ipu::mapping map{};  ///< none: they are `spread`
};

/// Makes `out` from `in`, of the types that the template says: `const auto [x] = l.in;`.
template <class In, class Out>
struct forward_lowering;
template <class... In, class... Out>
struct forward_lowering<in<In...>, out<Out...>> : lowering {
  std::array<on_tiles, sizeof...(In)> in;
  std::array<on_tiles, sizeof...(Out)> out;
};

/// Writes `d_in` from `d_out`: one gradient for each real value. Those of several inputs need not all be `wanted()`.
template <class In, class Out>
struct inputs_lowering;
template <class... In, class... Out>
struct inputs_lowering<in<In...>, out<Out...>> : lowering {
  std::array<on_tiles, sizeof...(In)> in;
  std::array<on_tiles, sizeof...(Out)> out;
  std::array<on_tiles, (std::size_t{impl::tiled<Out>::real} + ... + 0)> d_out;
  std::array<on_tiles, (std::size_t{impl::tiled<In>::real} + ... + 0)> d_in;
};

/// Adds to `numbers.d_weights` and `numbers.d_biases` by `add_to`.
template <class In, class Out>
struct weights_lowering;
template <class... In, class... Out>
struct weights_lowering<in<In...>, out<Out...>> : lowering {
  std::array<on_tiles, sizeof...(In)> in;
  std::array<on_tiles, sizeof...(Out)> out;
  std::array<on_tiles, (std::size_t{impl::tiled<Out>::real} + ... + 0)> d_out;
};

}  // namespace ipuflow::nn
