// SPDX-License-Identifier: BSL-1.0
// The codelets of norms on tiles: one over the deviation, and what the backward passes make of a value and the gradient of its
// norm. These work in float from the value itself, because halves of what is whitened would lose what cancels.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/ipu/ops/row_codelets.hpp>
#include <ipuflow/nn/kernels/moments.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// A mean and a variance of each row become the mean and one over the deviation.
template <class = void>
ipu::codelet inverse_deviation_codelet() {
  return {ipu::name_from("inverse deviation"), ipu::elementwise_code,
          [](std::span<const float> in, std::span<float> out) {
            for (std::size_t i = 0; i < in.size(); i += 2) {
              out[i] = in[i];
              out[i + 1] = moments<float>{in[i], in[i + 1]}.inverse;
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return ipu::unary_cost(chip, ipu::unary::rsqrt, ipu::element_type::f32, n[0] / 2); }};
}

/// The tables of a norm: its rows, and those of its scales.
struct norm_tables {
  shared<const ipu::rows_on_tiles> tiles;
  ipu::row_order order;
  shared<const ipu::rows_on_tiles> scale_tiles;
  ipu::row_order scale_order;

  /// The cost of passes by rows and by scales [the vendor's take one each].
  ipu::vertex_cost passes(const ipu::architecture& chip, ipu::element_type type, std::uint32_t tile, std::size_t by_rows, std::size_t by_scales) const {
    ipu::vertex_cost made{0, 0, true, 0};
    for (std::size_t i = 0; i < by_rows + by_scales; ++i)
      add(made, i < by_rows ? ipu::row_pass_cost(chip, type, (*tiles)[tile], order) : ipu::row_pass_cost(chip, type, (*scale_tiles)[tile], scale_order));
    return made;
  }
  static void add(ipu::vertex_cost& sum, const ipu::vertex_cost& more) {
    sum.bundles += more.bundles;
    sum.supervisor += more.supervisor;
    sum.flops += more.flops;
  }
  /// A product of two values and two numbers of each row.
  static void add_reductions(ipu::vertex_cost& sum, const ipu::architecture& chip, ipu::element_type type, const ipu::tile_rows& t, const ipu::row_order& order) {
    add(sum, ipu::binary_cost(chip, ipu::binary::mul, type, t.elements));
    for (std::size_t i = 0; i < 2; ++i) add(sum, ipu::row_reduce_cost(chip, type, t, order));
  }
};

/// Numbers of a tile's elements in float: (x - mean) / deviation, and where there are scales the gradient times them.
struct tile_slopes {
  light_vector<float> normal, slope, inverse, number;

  template <class E>
  void whiten(const ipu::tile_rows& t, const ipu::row_order& order, std::span<const E> x, std::span<const float> n) {
    for (light_vector<float>* const v : {&normal, &inverse, &number}) v->resize(x.size());
    ipu::spread_over_elements(t, order, n, {2, 0}, number.data());
    ipu::spread_over_elements(t, order, n, {2, 1}, inverse.data());
    for (std::size_t i = 0; i < x.size(); ++i) normal[i] = (float{x[i]} - number[i]) * inverse[i];
  }
  template <class E, class Scale>
  void scale(const ipu::tile_rows& t, const ipu::row_order& order, std::span<const E> d_y, std::span<const Scale> scales) {
    for (light_vector<float>* const v : {&slope, &number}) v->resize(d_y.size());
    ipu::spread_over_elements(t, order, scales, {}, number.data());
    for (std::size_t i = 0; i < d_y.size(); ++i) slope[i] = float{d_y[i]} * number[i];
  }
  static tile_slopes& here() {
    thread_local tile_slopes made;
    return made;
  }
};

/// With n the whitened number and g the scaled gradient, for each row: sums of n * g, and of g. In float, as the host has them; it
/// costs the vendor's passes: two that whiten, one that scales, a product, and the sums.
template <class E, class Scale>
ipu::codelet norm_slopes_codelet(const norm_tables& of, float factor) {
  return {ipu::name_from("norm slopes"), ipu::elementwise_code * 6,
          [of, factor](std::uint32_t tile, std::span<const E> x, std::span<const E> d_y, std::span<const float> n, std::span<const Scale> scales, std::span<float> out) {
            const ipu::tile_rows& t = (*of.tiles)[tile];
            tile_slopes& s = tile_slopes::here();
            s.whiten(t, of.order, x, n);
            s.scale((*of.scale_tiles)[tile], of.scale_order, d_y, scales);
            ipu::add_up_rows(t, of.order, out, {2, 0}, [&](std::size_t i, std::size_t) { return s.normal[i] * s.slope[i]; });
            ipu::add_up_rows(t, of.order, out, {2, 1}, [&](std::size_t i, std::size_t) { return s.slope[i]; });
            for (float& y : out) y *= factor;
          },
          [of](const ipu::architecture& chip, ipu::lengths, std::uint32_t tile) {
            ipu::vertex_cost made = of.passes(chip, ipu::element_type_of<E>(), tile, 2, 1);
            norm_tables::add_reductions(made, chip, ipu::element_type_of<E>(), (*of.tiles)[tile], of.order);
            return made;
          }};
}

/// (g + the second mean + n * the first) / deviation. Three passes by rows more and a scaled addition, as the vendor has them.
template <class E, class Scale>
ipu::codelet norm_gradient_codelet(const norm_tables& of) {
  return {ipu::name_from("norm gradient"), ipu::elementwise_code * 4,
          [of](std::uint32_t tile, std::span<const E> x, std::span<const E> d_y, std::span<const float> n, std::span<const float> means, std::span<const Scale> scales,
               std::span<E> d_x) {
            const ipu::tile_rows& t = (*of.tiles)[tile];
            tile_slopes& s = tile_slopes::here();
            s.whiten(t, of.order, x, n);
            s.scale((*of.scale_tiles)[tile], of.scale_order, d_y, scales);
            for (std::size_t which = 0; which < 2; ++which) {
              ipu::spread_over_elements(t, of.order, means, {2, which}, s.number.data());
              for (std::size_t i = 0; i < x.size(); ++i) s.slope[i] += s.number[i] * (which == 0 ? s.normal[i] : 1.0f);
            }
            for (std::size_t i = 0; i < x.size(); ++i) d_x[i] = E{s.slope[i] * s.inverse[i]};
          },
          [of](const ipu::architecture& chip, ipu::lengths, std::uint32_t tile) {
            ipu::vertex_cost made = of.passes(chip, ipu::element_type_of<E>(), tile, 3, 0);
            norm_tables::add(made, ipu::scaled_add_cost(chip, ipu::element_type_of<E>(), (*of.tiles)[tile].elements));
            return made;
          }};
}

/// For each scale: sums of n * gradient, and of the gradient.
template <class E>
ipu::codelet norm_weights_codelet(const norm_tables& of) {
  return {ipu::name_from("norm of weights"), ipu::elementwise_code * 5,
          [of](std::uint32_t tile, std::span<const E> x, std::span<const E> d_y, std::span<const float> n, std::span<float> out) {
            const ipu::tile_rows& scales = (*of.scale_tiles)[tile];
            tile_slopes& s = tile_slopes::here();
            s.whiten((*of.tiles)[tile], of.order, x, n);
            ipu::add_up_rows(scales, of.scale_order, out, {2, 0}, [&](std::size_t i, std::size_t) { return s.normal[i] * float{d_y[i]}; });
            ipu::add_up_rows(scales, of.scale_order, out, {2, 1}, [&](std::size_t i, std::size_t) { return float{d_y[i]}; });
          },
          [of](const ipu::architecture& chip, ipu::lengths, std::uint32_t tile) {
            ipu::vertex_cost made = of.passes(chip, ipu::element_type_of<E>(), tile, 2, 0);
            norm_tables::add_reductions(made, chip, ipu::element_type_of<E>(), (*of.scale_tiles)[tile], of.scale_order);
            return made;
          }};
}

}  // namespace impl

}  // namespace ipuflow::nn
