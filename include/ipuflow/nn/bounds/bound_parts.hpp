// SPDX-License-Identifier: BSL-1.0
// Parts of the bounds of several layers: weights in another type, biases and their gradients, code of pieces.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/nn/bounds/layer_bound.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

template <class E>
inline constexpr ipu::element_type bound_type = std::is_same_v<E, half> ? ipu::element_type::f16 : ipu::element_type::f32;

template <class E>
constexpr ipu::amp_precision bound_precision(const bound_question& q) {
  if (!std::is_same_v<E, half>) return ipu::amp_precision::float_float;
  return q.half_partials ? ipu::amp_precision::half_half : ipu::amp_precision::half_float;
}

/// A name of its own for the code of each kind of layer.
template <class Layer>
inline constexpr type_text code_name = type_name<Layer>();

/// A gradient of `parameters` numbers that is added up: floats where the tensor is, and what reads them.
constexpr pass_bound added_up(const bound_question& q, std::size_t parameters) {
  const std::uint64_t more = ipu::spread_bound(ipu::element_type::f32, parameters, q.chip.tiles);
  return {more, exchange_of_copy, 3, state_of_vertex};
}

/// Weights in the type that the layer computes with.
constexpr std::uint64_t cast_weights(const bound_question& q, ipu::element_type type, std::size_t count) {
  return q.parameters == type ? 0 : ipu::spread_bound(type, count, q.chip.tiles, vector_width(q.parameters));
}

/// The sum over planes, and then over samples: a tile gets a piece from each that it adds up [capped], or where a product that shares
/// its weights has left them row after row, from each tile.
constexpr pass_bound bias_gradient(const bound_question& q, ipu::element_type type, std::size_t channels, std::size_t plane) {
  pass_bound made;
  const std::size_t results = q.samples * channels, each = ipu::divided_up(results, q.chip.tiles);
  if (plane > 1) {
    const std::size_t parts = algorithms::max<std::size_t>(1, algorithms::min(q.chip.tiles / algorithms::min(results, q.chip.tiles), plane / 16));
    const std::size_t deep = ipu::divided_up(plane, parts) * each;
    made.then({deep * size_of(type) + each * 8, 8 * deep * size_of(type) / 64 + 3 * exchange_of_copy, 4, 2 * state_of_vertex});
  }
  const std::size_t parts = algorithms::max<std::size_t>(1, algorithms::min(q.chip.tiles / algorithms::min(channels, q.chip.tiles), q.samples / 16));
  const std::size_t deep = ipu::divided_up(q.samples, parts) * ipu::divided_up(channels, q.chip.tiles);
  const std::size_t size = plane > 1 ? 4 : size_of(type);
  const std::size_t pieces = q.shared ? algorithms::min(ipu::divided_up(q.samples, parts), q.chip.tiles) : algorithms::min<std::size_t>(deep, 130);
  made.then({deep * size + 16, 8 * pieces + 3 * exchange_of_copy, 4, 2 * state_of_vertex});
  made.temporary += q.spread(ipu::element_type::f32, channels);
  return made;
}

/// The numbers of the channels that a tile has places of.
constexpr pass_bound bias(const bound_question& q, ipu::element_type type, std::size_t channels, std::size_t plane) {
  const std::size_t places = q.spread(type, channels * plane) / size_of(type);
  const std::size_t runs = algorithms::min(places, places / plane + 2);
  return {runs * size_of(type) + cast_weights(q, type, channels), 8 * (runs / channels + 2) + 2 * exchange_of_copy, 4, state_of_vertex};
}

/// The code of pieces: a receive takes 4 or 8 bytes of code, 6 in the middle, and most streams begin with one.
constexpr std::uint64_t exchange_of_pieces(std::uint64_t pieces) { return 6 * pieces + exchange_of_copy; }

}  // namespace impl

}  // namespace ipuflow::nn
