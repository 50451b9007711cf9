// SPDX-License-Identifier: BSL-1.0
// A number for each channel, added to all its places of every sample, and its gradient. A tile gets the numbers of the
// channels that it holds places of.
#pragma once

#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ipuflow::nn {

namespace impl {

/// The biases that each tile of `spread` values gets: one for each run of places of one channel.
template <class = void>
inline ipu::arranged spread_bias(const lowering& l, ipu::variable_id y, std::size_t plane, ipu::variable_id biases) {
  const std::size_t channels = l.g[biases].elements();
  std::vector<ipu::tile_block> blocks;
  std::vector<ipu::copy_piece> pieces;
  std::size_t at = 0;
  for (const ipu::mapped_interval& i : l.g[y].map()) {
    const std::size_t begin = i.begin / plane;
    const std::size_t end = (i.end - 1) / plane + 1;
    for (std::size_t run = begin; run < end;) {
      const std::size_t count = std::min(end - run, channels - run % channels);
      pieces.push_back({.from = {.begin = run % channels}, .to = {.begin = at + (run - begin)}, .length = count});
      run += count;
    }
    blocks.push_back({i.tile, end - begin});
    at += end - begin;
  }
  return ipu::arrange(l.g, biases, "bias", ipu::mapping_of(blocks), std::move(pieces));
}

template <class E>
ipu::codelet bias_codelet(std::size_t plane) {
  return {ipu::name_from("add bias"), ipu::elementwise_code,
          [plane](std::size_t first_place, ipu::inout<E> y, std::span<const E> bias) {
            std::size_t until = plane - first_place;
            std::size_t run = 0;
            for (std::size_t i = 0; i < y.size(); until += plane) {
              const float more{bias[run++]};
              for (; i < y.size() && i < until; ++i) y[i] = E{float{y[i]} + more};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::add, ipu::element_type_of<E>(), n[0], true);
          }};
}

/// y[sample, channel, place] += bias[channel], for a `spread` y.
template <class = void>
inline ipu::step add_bias(const lowering& l, ipu::variable_id y, std::size_t plane) {
  const ipu::element_type type = l.g[y].type();
  const ipu::arranged given = l.as(l.numbers.biases, type);
  const ipu::arranged mine = spread_bias(l, y, plane, given.variable);
  const ipu::mapping& map = l.g[y].map();
  std::vector<std::size_t> first;
  for (const ipu::mapped_interval& i : map) first.push_back(i.begin % plane);
  const std::size_t code =
      l.g.add_codelet(ipu::with_real(type, [&](auto e) { return bias_codelet<decltype(e)>(plane); }));
  const ipu::compute_set_id set = l.g.add_compute_set("add bias");
  l.g.add_vertices(set, {code, map.front().tile, map.size(), 1, {ipu::whole(y), ipu::whole(mine.variable)}, first});
  return ipu::sequence(given.bring, mine.bring, ipu::execute(set));
}

/// d_bias[channel] += the sum of d_y[sample, channel, place]
template <class = void>
inline ipu::step add_bias_gradient(const lowering& l, ipu::variable_id d_y, std::size_t plane) {
  const std::size_t channels = l.g[l.numbers.biases].elements();
  ipu::step program;
  ipu::variable_id planes = d_y;
  if (plane > 1) {
    planes = l.temporary("plane sums", ipu::element_type::f32, l.samples * channels);
    program.then(
        ipu::reduce(l.g, ipu::reduce_operation::sum, {l.samples * channels, plane, 1}, d_y, planes, l.where));
  }
  const ipu::variable_id more = l.more_of(l.numbers.biases);
  program.then(ipu::reduce(l.g, ipu::reduce_operation::sum, {1, l.samples, channels}, planes, more, l.where));
  program.then(l.add_to(l.numbers.d_biases, more));
  return program;
}

}  // namespace impl

}  // namespace ipuflow::nn
