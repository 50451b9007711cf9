// SPDX-License-Identifier: BSL-1.0
// A number for each channel, added to all its places of every sample, and its gradient. A tile gets the numbers of the
// channels that it holds places of.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// The biases that each tile of `spread` values gets: one for each run of places of one channel.
template <class = void>
inline ipu::arranged spread_bias(const lowering& l, ipu::variable_id y, std::size_t plane, ipu::variable_id biases) {
  const std::size_t channels = l.g[biases].elements();
  light_vector<ipu::tile_block> blocks;
  light_vector<ipu::copy_piece> pieces;
  std::size_t at = 0;
  for (const ipu::mapped_interval& i : l.g[y].map()) {
    const std::size_t begin = i.begin / plane;
    const std::size_t end = (i.end - 1) / plane + 1;
    for (std::size_t run = begin; run < end;) {
      const std::size_t count = algorithms::min(end - run, channels - run % channels);
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

/// The biases of the columns of each block that a tile has a part of.
template <class = void>
inline ipu::arranged bias_of_blocks(const lowering& l, const ipu::mapping& map, const ipu::matrix_order& order, ipu::variable_id biases) {
  light_vector<ipu::tile_block> blocks;
  light_vector<ipu::copy_piece> pieces;
  std::size_t at = 0;
  for (const ipu::mapped_interval& i : map) {
    const std::size_t first = at;
    ipu::for_each_block(order, i.begin, i.end, [&](std::size_t, std::size_t, std::size_t j) {
      const std::size_t column = order.columns.begin(j), width = order.columns.size(j);
      ipu::copy_piece* const last = at > first ? &pieces.back() : nullptr;
      if (last != nullptr && last->from.begin + last->length == column)
        last->length += width;
      else
        pieces.push_back({.from = {.begin = column}, .to = {.begin = at}, .length = width});
      at += width;
    });
    blocks.push_back({i.tile, at - first});
  }
  return ipu::arrange(l.g, biases, "bias", ipu::mapping_of(blocks), std::move(pieces));
}

template <class E>
ipu::codelet panel_bias_codelet(const ipu::matrix_order& order) {
  return {ipu::name_from("add bias"), ipu::elementwise_code,
          [order](std::size_t first, ipu::inout<E> y, std::span<const E> bias) {
            std::size_t column = 0;
            ipu::for_each_block(order, first, first + y.size(), [&](std::size_t begin, std::size_t end, std::size_t j) {
              const std::size_t width = order.columns.size(j), before = order.index_of(begin) % order.columns.count - order.columns.begin(j);
              for (std::size_t at = begin; at < end; ++at) {
                E& here = y[at - first];
                here = E{float{here} + float{bias[column + (before + at - begin) % width]}};
              }
              column += width;
            });
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::add, ipu::element_type_of<E>(), n[0], true);
          }};
}

/// y[row, column] += bias[column], for a y in panels.
template <class = void>
inline ipu::step add_bias_to_panels(const lowering& l, ipu::variable_id y, const ipu::matrix_order& order) {
  const ipu::element_type type = l.g[y].type();
  const ipu::mapping map = l.g[y].map();
  const ipu::arranged given = l.as(l.numbers.biases, type);
  const ipu::arranged mine = bias_of_blocks(l, map, order, given.variable);
  ipu::codelet code = ipu::with_real(type, [&](auto e) { return panel_bias_codelet<decltype(e)>(order); });
  return ipu::sequence(given.bring, mine.bring,
                       on_spread(l, "add bias", std::move(code), y, {ipu::whole(y), ipu::whole(mine.variable)}));
}

/// Sums over the rows that a tile has, of each column of each block.
template <class E>
ipu::codelet column_sums_codelet(const ipu::matrix_order& order) {
  return {ipu::name_from("column sums"), ipu::elementwise_code,
          [order](std::size_t first, std::span<const E> d_y, std::span<float> sums) {
            std::size_t column = 0;
            for (float& s : sums) s = 0;
            ipu::for_each_block(order, first, first + d_y.size(), [&](std::size_t begin, std::size_t end, std::size_t j) {
              const std::size_t width = order.columns.size(j), before = order.index_of(begin) % order.columns.count - order.columns.begin(j);
              for (std::size_t at = begin; at < end; ++at) sums[column + (before + at - begin) % width] += float{d_y[at - first]};
              column += width;
            });
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::reduce_cost(chip, ipu::element_type_of<E>(), ipu::divided_up(n[0], algorithms::max<std::size_t>(n[1], 1)), n[1]);
          }};
}

/// sums[column] = the sum of all rows of a value in panels: of the rows of each tile first, then each panel on a tile of its own.
template <class = void>
inline ipu::step sum_of_rows(const lowering& l, ipu::variable_id v, const ipu::matrix_order& order, ipu::variable_id to) {
  const ipu::mapping map = l.g[v].map();
  light_vector<ipu::tile_block> held;
  light_vector<light_vector<std::size_t>> parts(order.columns.parts);  // of each panel: where the sums of its columns are
  std::size_t at = 0;
  for (const ipu::mapped_interval& i : map) {
    const std::size_t first = at;
    ipu::for_each_block(order, i.begin, i.end, [&](std::size_t, std::size_t, std::size_t j) {
      parts[j].push_back(at);
      at += order.columns.size(j);
    });
    held.push_back({i.tile, at - first});
  }
  const ipu::variable_id partial = l.g.add_temporary(l.name_of("column sums"), ipu::element_type::f32, at, ipu::mapping_of(held));
  ipu::codelet sum_up = ipu::with_real(l.g[v].type(), [&](auto e) { return column_sums_codelet<decltype(e)>(order); });
  ipu::step columns = on_spread(l, "column sums", std::move(sum_up), v, {ipu::whole(v), ipu::whole(partial)});
  const std::size_t apart = algorithms::max<std::size_t>(1, ipu::tiles_for(l.g, l.where) / parts.size());
  light_vector<ipu::tile_block> gathered, made;
  light_vector<ipu::copy_piece> pieces;
  at = 0;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const std::size_t width = order.columns.size(j), tile = l.where.first_tile + j * apart;
    for (const std::size_t from : parts[j]) {
      pieces.push_back({.from = {.begin = from}, .to = {.begin = at}, .length = width});
      at += width;
    }
    gathered.push_back({tile, width * parts[j].size()});
    made.push_back({tile, width});
  }
  const ipu::arranged in = ipu::arrange(l.g, partial, "column sums", ipu::mapping_of(gathered), std::move(pieces));
  const ipu::variable_id sums = l.g.add_temporary(l.name_of("sums"), l.g[to].type(), order.columns.count, ipu::mapping_of(made));
  const ipu::codelet code = ipu::reduce_codelet(ipu::reduce_operation::sum, ipu::element_type::f32, l.g[to].type());
  return ipu::sequence(std::move(columns), in.bring,
                       ipu::on_each_tile(l.g, "reduce", code, sums, {ipu::whole(in.variable), ipu::whole(sums)}), ipu::copy_all(l.g, sums, to));
}

/// y[sample, channel, place] += bias[channel], for a `spread` y, or one in panels.
template <class = void>
inline ipu::step add_bias(const lowering& l, ipu::variable_id y, std::size_t plane, const ipu::matrix_order& order = {}) {
  if (!order.is_plain()) return add_bias_to_panels(l, y, order);
  const ipu::element_type type = l.g[y].type();
  const ipu::arranged given = l.as(l.numbers.biases, type);
  const ipu::arranged mine = spread_bias(l, y, plane, given.variable);
  const ipu::mapping& map = l.g[y].map();
  light_vector<std::size_t> first;
  for (const ipu::mapped_interval& i : map) first.push_back(i.begin % plane);
  const std::size_t code =
      l.g.add_codelet(ipu::with_real(type, [&](auto e) { return bias_codelet<decltype(e)>(plane); }));
  const ipu::compute_set_id set = l.g.add_compute_set("add bias");
  l.g.add_vertices(set, {code, map.front().tile, map.size(), 1, {ipu::whole(y), ipu::whole(mine.variable)}, first});
  return ipu::sequence(given.bring, mine.bring, ipu::execute(set));
}

/// d_bias[channel] += the sum of d_y[sample, channel, place]
template <class = void>
inline ipu::step add_bias_gradient(const lowering& l, ipu::variable_id d_y, std::size_t plane, const ipu::matrix_order& order = {}) {
  if (!order.is_plain()) {
    const ipu::variable_id more = l.more_of(l.numbers.biases);
    return ipu::sequence(sum_of_rows(l, d_y, order, more), l.add_to(l.numbers.d_biases, more));
  }
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
