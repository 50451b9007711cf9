// SPDX-License-Identifier: BSL-1.0
// Layers on tiles that join a number to each plane of a channel: the mean of it, and the product with it. Planes, whole,
// are shared out over the tiles.
#pragma once

#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// The sum over each plane times `scale`, in float.
template <class E>
ipu::codelet plane_sums_codelet(std::size_t plane, float scale) {
  return {ipu::name_from("sums of planes"), ipu::elementwise_code,
          [plane, scale](std::span<const E> x, std::span<E> sums) {
            for (std::size_t r = 0; r < sums.size(); ++r) {
              float total = 0;
              for (std::size_t i = r * plane; i < (r + 1) * plane; ++i) total += float{x[i]};
              sums[r] = E{scale * total};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 1); }};
}

/// The sum over each plane of x times y, in float.
template <class E>
ipu::codelet plane_products_codelet(std::size_t plane) {
  return {ipu::name_from("products of planes"), ipu::elementwise_code,
          [plane](std::span<const E> x, std::span<const E> y, std::span<E> sums) {
            for (std::size_t r = 0; r < sums.size(); ++r) {
              float total = 0;
              for (std::size_t i = r * plane; i < (r + 1) * plane; ++i) total += float{x[i]} * float{y[i]};
              sums[r] = E{total};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 1); }};
}

/// Each plane filled with its number times `scale`.
template <class E>
ipu::codelet filled_planes_codelet(std::size_t plane, float scale) {
  return {ipu::name_from("filled planes"), ipu::elementwise_code,
          [plane, scale](std::span<const E> numbers, std::span<E> y) {
            for (std::size_t i = 0; i < y.size(); ++i) y[i] = E{scale * float{numbers[i / plane]}};
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[1], 1); }};
}

/// Each plane times its number.
template <class E>
ipu::codelet scaled_planes_codelet(std::size_t plane) {
  return {ipu::name_from("scaled planes"), ipu::elementwise_code,
          [plane](std::span<const E> factors, std::span<const E> x, std::span<E> y) {
            for (std::size_t i = 0; i < y.size(); ++i) y[i] = E{float{factors[i / plane]} * float{x[i]}};
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[1], 1); }};
}

}  // namespace impl

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_forward(global_average_pool_t, const forward_lowering<in<tensor<E, C, H, W>>, out<tensor<E, C>>>& l) {
  return on_rows(l, "global average pool", l.samples * C, impl::plane_sums_codelet<E>(H * W, 1.0f / (H * W)),
                 {read_rows(l.in[0]), write_rows(l.out[0])});
}

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_backward_inputs(global_average_pool_t, const inputs_lowering<in<tensor<E, C, H, W>>, out<tensor<E, C>>>& l) {
  return on_rows(l, "global average pool gradient", l.samples * C, impl::filled_planes_codelet<E>(H * W, 1.0f / (H * W)),
                 {read_rows(l.d_out[0]), write_rows(l.d_in[0])});
}

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_forward(scale_channels_t, const forward_lowering<in<tensor<E, C>, tensor<E, C, H, W>>, out<tensor<E, C, H, W>>>& l) {
  const auto [factors, x] = l.in;
  return on_rows(l, "scale channels", l.samples * C, impl::scaled_planes_codelet<E>(H * W),
                 {read_rows(factors), read_rows(x), write_rows(l.out[0])});
}

/// Either gradient may be unwanted.
template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_backward_inputs(scale_channels_t,
                                const inputs_lowering<in<tensor<E, C>, tensor<E, C, H, W>>, out<tensor<E, C, H, W>>>& l) {
  const auto [factors, x] = l.in;
  const auto [d_factors, d_x] = l.d_in;
  ipu::step program;
  if (d_factors.wanted())
    program.then(on_rows(l, "gradient of channel factors", l.samples * C, impl::plane_products_codelet<E>(H * W),
                         {read_rows(x), read_rows(l.d_out[0]), write_rows(d_factors)}));
  if (d_x.wanted())
    program.then(on_rows(l, "gradient of scaled channels", l.samples * C, impl::scaled_planes_codelet<E>(H * W),
                         {read_rows(factors), read_rows(l.d_out[0]), write_rows(d_x)}));
  return program;
}

}  // namespace ipuflow::nn
