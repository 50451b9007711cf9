// SPDX-License-Identifier: BSL-1.0
// The bounds of the layers of sequences: tables in which rows are looked up, attention and its parts, softmax, beginnings and ends.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/ops/table_plan.hpp>
#include <ipuflow/nn/bounds/layer_bounds.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/layers/embedding.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>
#include <ipuflow/nn/layers/sequence_parts.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/lowerings/head_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// A table of `entries` rows in which the positions of all samples are looked up.
template <class E>
constexpr layer_bound bound_of_look_ups(const bound_question& q, std::size_t entries, std::size_t features, std::size_t positions) {
  constexpr ipu::element_type type = bound_type<E>;
  const std::size_t indices = q.samples * positions;
  const ipu::impl::table_plan p = ipu::impl::plan_table({entries, features, indices}, q.chip.tiles);
  const std::size_t wide = p.columns.most(), block = p.rows.most() * wide, found = indices * wide;
  const std::uint64_t words = 8 * indices + 2 * ipu::spread_bound(ipu::element_type::i32, indices, q.chip.tiles);  // on their way, and here
  const std::uint64_t rows = q.spread(type, positions * features), part = rows / size_of(type);
  const std::uint64_t parts = p.rows.parts;
  layer_bound b;
  b.weights = block;
  const std::uint64_t cast = q.parameters == type ? 0 : block * size_of(type);
  b.forward = {cast + words + found * size_of(type) + (parts > 1 ? part * (parts + 2) * 4 : 0) + rows, 0, 12, 6 * state_of_vertex};
  b.forward.exchange = exchange_of_pieces(part / wide + 2 + indices) + exchange_of_pieces(parts > 1 ? parts * (part / wide + 2) + found / part + 2 : 0);
  const std::uint64_t more = q.accumulators == ipu::element_type::f32 ? 0 : block * 4;
  b.to_weights = {more + words + found * 4 + (type == ipu::element_type::f32 ? 0 : part * 4), 0, 12, 6 * state_of_vertex};
  b.to_weights.exchange = exchange_of_pieces(indices + part / wide + 2);
  b.code = {{{"tokens", 256}, {"gather", 256}, {"scatter add", 256}, {"reduce", 256}, {"fill", 256}, {"cast", 256}, {"scaled add", 256}}, 7};
  return b;
}

}  // namespace impl

template <std::size_t V, std::size_t F, real_element Made, class E, class Token, std::size_t P>
constexpr layer_bound bound_on_tiles(embedding_t<V, F, Made>, in<tensor<Token, P>>, out<tensor<E, P, F>>, const bound_question& q) {
  return impl::bound_of_look_ups<E>(q, V, F, P);
}

template <std::size_t Kinds, class E, std::size_t P, std::size_t F, class Kind>
constexpr layer_bound bound_on_tiles(add_embedding_t<Kinds>, in<tensor<E, P, F>, tensor<Kind, P>>, out<tensor<E, P, F>>, const bound_question& q) {
  layer_bound b = impl::bound_of_look_ups<E>(q, Kinds, F, P);
  const std::uint64_t value = q.spread(impl::bound_type<E>, P * F);
  b.forward.temporary += value;
  b.forward.then(impl::brought(3 * value, 2));
  b.to_inputs = impl::brought(value, 1);
  b.code.push_back({"add", 256});
  return b;
}

/// A number for each place of a sample: the front of the table, and its gradient, a sum over samples.
template <std::size_t Most, class X>
constexpr layer_bound bound_on_tiles(position_embedding_t<Most>, in<X>, out<X>, const bound_question& q) {
  constexpr ipu::element_type type = impl::bound_type<typename X::element_type>;
  const std::uint64_t front = ipu::spread_bound(q.parameters, X::elements, q.chip.tiles);
  layer_bound b;
  b.forward = impl::brought(q.spread(type, X::elements), 2).then(impl::bias(q, type, X::elements, 1));
  b.forward.temporary += front;
  b.to_inputs = impl::brought(q.spread(type, X::elements), 1);
  const std::size_t table = facts(position_embedding_t<Most>{}, X{}).parameters;
  b.to_weights = impl::bias_gradient(q, type, X::elements, 1).then(impl::added_up(q, table));
  b.to_weights.temporary += ipu::spread_bound(ipu::element_type::f32, table, q.chip.tiles) + ipu::spread_bound(ipu::element_type::f32, X::elements, q.chip.tiles);
  b.code = {{{"add bias", 256}, {"reduce", 256}, {"fill", 256}, {"scaled add", 256}, {"cast", 256}}, 5};
  return b;
}

namespace impl {

/// The products of the heads on the fullest tile, whichever cut is taken.
struct head_products {
  std::uint64_t temporary = 0;  ///< bytes
  std::uint64_t rows = 0;       ///< elements of whole rows of scores
  std::uint64_t pieces = 0;     ///< that a tile gets for all products of a pass, at most
  std::uint64_t turns = 1;      ///< in which the heads are done

  constexpr head_products(const bound_question& q, const attention_sizes& a) {
    const head_tiles at(q.chip.tiles, a);
    const std::size_t p = a.positions, w = a.width();
    turns = ipu::divided_up(a.pairs(), at.at_once);
    rows = turns * at.queries(a).most() * p;
    const auto add = [&](const ipu::matmul_shape& s) {
      const ipu::matmul_plan plan = at.by_queries(q.chip, s);
      raise(plan);
      if (s.a_transposed || plan.temporary > q.memory()) return;
      raise(sooner_cut(q.chip, s, plan, q.memory(), false));  // or it stays, where rows of scores do
    };
    add({p, w, p, a.type, false, true}), add({p, p, w, a.type}), add({p, p, w, a.type, true, false});
    pieces = turns * (2 * p + at.parts);
  }
  constexpr void raise(const ipu::matmul_plan& plan) { temporary = algorithms::max<std::uint64_t>(temporary, plan.temporary.value); }
};

template <class E>
constexpr attention_sizes bound_sizes(const bound_question& q, std::size_t heads, std::size_t positions, std::size_t features) {
  return {q.samples, heads, positions, features, bound_precision<E>(q)};
}

/// Softmax of rows: what is brought and made, numbers of rows that go to and fro.
constexpr pass_bound softmax_bound(std::uint64_t rows, std::size_t size, std::uint64_t whole_rows) {
  return {rows * size + 4 * whole_rows * 4, 8 * exchange_of_copy, 16, 8 * state_of_vertex};
}

}  // namespace impl

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class... Segment, class Y>
constexpr layer_bound bound_on_tiles(attention_t<Heads, Causal>, in<tensor<E, P, F>, Segment...>, out<Y>, const bound_question& q) {
  const impl::head_products heads(q, impl::bound_sizes<E>(q, Heads, P, F / 3));
  const std::uint64_t size = sizeof(E), square = heads.rows * size, segments = sizeof...(Segment) > 0 ? q.samples * P * 4 : 0;
  const std::uint64_t value = q.spread(impl::bound_type<E>, P * F);
  layer_bound b;
  const auto pass = [&](std::uint64_t squares, std::size_t products) {
    const pass_bound rows = impl::softmax_bound(heads.rows, size, heads.rows / P + 1);
    return pass_bound{squares * square + algorithms::max(heads.temporary, rows.temporary + segments) + value, impl::exchange_of_pieces(products * heads.pieces) + rows.exchange,
                      products * 4 * heads.turns + rows.steps + 4, products * 2 * state_of_vertex * heads.turns + rows.state};
  };
  b.forward = pass(2, 2);
  b.to_inputs = pass(3, 6);
  b.code = {{{"matmul", 1612}, {"reduce", 256}, {"scores", 256}, {"softmax", 1536}, {"softmax gradient", 1024}, {"cast", 256}}, 6};
  return b;
}

}  // namespace ipuflow::nn
