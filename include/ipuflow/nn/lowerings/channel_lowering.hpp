// SPDX-License-Identifier: BSL-1.0
// Layers on tiles that join a number to each plane of a channel: the mean of it, and the product with it. Planes stay where
// they are; numbers of them go to and fro.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/row_layout.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The planes of values like one of them, and what is made of them there.
template <class = void>
class basic_plane_work {
 public:
  basic_plane_work(const lowering& l, std::size_t plane, ipu::variable_id like, const ipu::row_effort& effort)
      : l_{l}, at_{ipu::place_row_work(l.g, like, {plane, l.g[like].elements() / plane}, effort, l.where)} {}

  /// The sum of each plane times `scale`, to `to`.
  ipu::step sums(ipu::variable_id x, float scale, ipu::variable_id to) {
    const ipu::variable_id there = brought(x);
    return given_to(at_.work.reduce(program_, ipu::row_reduction::sum, there, scale), to);
  }
  /// The sum of x * y over each plane, to `to`.
  ipu::step products(ipu::variable_id x, ipu::variable_id y, ipu::variable_id to) {
    const ipu::variable_id left = brought(x), right = brought(y);
    return given_to(at_.work.reduce_products(program_, left, right), to);
  }
  /// Each plane of `y` is that of `x` times its number.
  ipu::step scaled(ipu::variable_id x, ipu::variable_id numbers, ipu::variable_id y) {
    const ipu::variable_id there = brought(x), made = ipu::room_in(l_.g, "scaled planes", y, at_.map);
    at_.work.pass(program_, ipu::binary::mul, there, in_float(numbers), 0, made);
    return taken_back(made, y);
  }
  /// Each plane of `y` is filled with its number times `scale`.
  ipu::step filled(ipu::variable_id numbers, float scale, ipu::variable_id y) {
    const ipu::variable_id made = ipu::room_in(l_.g, "filled planes", y, at_.map);
    const ipu::row_numbers there = at_.work.to_tiles(program_, in_float(numbers));
    const ipu::element_type type = l_.g[y].type();
    program_.then(at_.work.on_rows("filled planes", ipu::with_real(type, [&](auto e) { return codelet<decltype(e)>(scale); }), {ipu::whole(there.variable), ipu::whole(made)}));
    return taken_back(made, y);
  }

 private:
  /// It stores what a pass over rows stores, after one load for each plane [assumed].
  template <class E>
  ipu::codelet codelet(float scale) const {
    const auto tiles = at_.work.shared_tiles();
    const ipu::row_order order = at_.work.order();
    return {ipu::name_from("filled planes"), ipu::elementwise_code,
            [=](std::uint32_t tile, std::span<const float> numbers, std::span<E> y) {
              thread_local light_vector<float> made;
              made.resize(y.size());
              ipu::spread_over_elements((*tiles)[tile], order, numbers, {}, made.data());
              for (std::size_t i = 0; i < y.size(); ++i) y[i] = E{scale * made[i]};
            },
            [=](const ipu::architecture& chip, ipu::lengths, std::uint32_t tile) {
              return ipu::row_pass_cost(chip, ipu::element_type_of<E>(), (*tiles)[tile], order);
            }};
  }

  ipu::variable_id brought(ipu::variable_id v) {
    ipu::arranged in = ipu::bring_to(l_.g, v, at_.map);
    program_.then(std::move(in.bring));
    return in.variable;
  }
  ipu::row_numbers in_float(ipu::variable_id numbers) {
    ipu::arranged given = l_.as(numbers, ipu::element_type::f32);
    program_.then(std::move(given.bring));
    return {given.variable, 1, true};
  }
  ipu::step given_to(const ipu::row_numbers& n, ipu::variable_id to) {
    const bool real = l_.g[to].type() == ipu::element_type::f32;
    const ipu::variable_id floats = real ? to : l_.g.add_temporary(ipu::name_from("sums of planes"), ipu::element_type::f32, l_.g[to].elements(), l_.g[to].map());
    ipu::copy deliver;
    at_.work.deliver(deliver, n, 0, floats);
    program_.then(std::move(deliver));
    if (!real) program_.then(ipu::cast(l_.g, floats, to));
    return std::move(program_);
  }
  ipu::step taken_back(ipu::variable_id made, ipu::variable_id to) {
    if (made.index != to.index) program_.then(ipu::copy_all(l_.g, made, to));
    return std::move(program_);
  }

  const lowering& l_;
  ipu::row_place at_;
  ipu::step program_{};
};
using plane_work = basic_plane_work<>;

inline constexpr ipu::row_effort plane_sums_effort{.reductions = 1, .rounds = 1, .moved = 1};
inline constexpr ipu::row_effort plane_products_effort{.passes = 1, .reductions = 1, .rounds = 1, .moved = 2};
inline constexpr ipu::row_effort plane_passes_effort{.passes = 1, .moved = 2};

}  // namespace impl

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_forward(global_average_pool_t, const forward_lowering<in<tensor<E, C, H, W>>, out<tensor<E, C>>>& l) {
  return impl::plane_work{l, H * W, l.in[0], impl::plane_sums_effort}.sums(l.in[0], 1.0f / (H * W), l.out[0]);
}

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_backward_inputs(global_average_pool_t, const inputs_lowering<in<tensor<E, C, H, W>>, out<tensor<E, C>>>& l) {
  return impl::plane_work{l, H * W, l.d_in[0], impl::plane_passes_effort}.filled(l.d_out[0], 1.0f / (H * W), l.d_in[0]);
}

template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_forward(scale_channels_t, const forward_lowering<in<tensor<E, C>, tensor<E, C, H, W>>, out<tensor<E, C, H, W>>>& l) {
  const auto [factors, x] = l.in;
  return impl::plane_work{l, H * W, x, impl::plane_passes_effort}.scaled(x, factors, l.out[0]);
}

/// Either gradient may be unwanted.
template <class E, std::size_t C, std::size_t H, std::size_t W>
ipu::step lower_backward_inputs(scale_channels_t,
                                const inputs_lowering<in<tensor<E, C>, tensor<E, C, H, W>>, out<tensor<E, C, H, W>>>& l) {
  const auto [factors, x] = l.in;
  const auto [d_factors, d_x] = l.d_in;
  ipu::step program;
  if (d_factors.wanted()) program.then(impl::plane_work{l, H * W, x, impl::plane_products_effort}.products(x, l.d_out[0], d_factors));
  if (d_x.wanted()) program.then(impl::plane_work{l, H * W, l.d_out[0], impl::plane_passes_effort}.scaled(l.d_out[0], factors, d_x));
  return program;
}

}  // namespace ipuflow::nn
