// SPDX-License-Identifier: BSL-1.0
// A number for each channel, added to all its places of every sample, and its gradient: a pass and a sum over the rows of a
// value whose rows are its channels, or its columns, where it stands. A tile gets the numbers of the channels that it
// holds places of.
#pragma once

#include <ipuflow/ipu/ops/row_work.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The channels of a value as rows, with a number in `biases` each.
template <class = void>
inline ipu::row_work channels_of(const lowering& l, ipu::variable_id y, std::size_t plane, const ipu::matrix_order& order) {
  return {l.g, l.g[y].map(), l.g[y].type(), {plane, l.g[l.numbers.biases].elements(), order}, l.where};
}

/// y[sample, channel, place] += bias[channel], for a `spread` y, or one in panels. Single numbers go as floats, which are whole words.
template <class = void>
inline ipu::step add_bias(const lowering& l, ipu::variable_id y, std::size_t plane, const ipu::matrix_order& order = {}) {
  const ipu::arranged given = l.as(l.numbers.biases, plane == 1 ? l.g[y].type() : ipu::element_type::f32);
  ipu::step program = given.bring;
  channels_of(l, y, plane, order).pass(program, ipu::binary::add, y, {given.variable, 1, true}, 0, y);
  return program;
}

/// d_bias[channel] += the sum of d_y[sample, channel, place]
template <class = void>
inline ipu::step add_bias_gradient(const lowering& l, ipu::variable_id d_y, std::size_t plane, const ipu::matrix_order& order = {}) {
  const ipu::row_work channels = channels_of(l, d_y, plane, order);
  const ipu::variable_id more = l.more_of(l.numbers.biases);
  ipu::step program;
  ipu::copy deliver;
  channels.deliver(deliver, channels.reduce(program, ipu::row_reduction::sum, d_y), 0, more);
  program.then(std::move(deliver));
  program.then(l.add_to(l.numbers.d_biases, more));
  return program;
}

}  // namespace impl

}  // namespace ipuflow::nn
