// SPDX-License-Identifier: BSL-1.0
// The bounds of the layers of sequences: tables in which rows are looked up, attention and its parts, softmax, beginnings and ends.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/ops/table_plan.hpp>
#include <ipuflow/nn/bounds/bound_parts.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/layers/embedding.hpp>
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
  const ipu::table_plan p = ipu::plan_table({entries, features, indices, q.by_columns}, q.chip.tiles);
  const std::size_t wide = p.columns.most(), block = p.rows.most() * wide, found = indices * wide;
  const std::size_t share = ipu::divided_up(ipu::divided_up(indices * features, 2), q.chip.tiles) * 2;  // of sums over parts of the rows
  const std::uint64_t words = 8 * indices + 2 * ipu::spread_bound(ipu::element_type::i32, indices, q.chip.tiles);  // on their way, and here
  const std::uint64_t rows = q.spread(type, positions * features), part = rows / size_of(type), parts = p.rows.parts;
  layer_bound b;
  b.weights = block;
  const std::uint64_t cast = q.parameters == type ? 0 : block * size_of(type);
  b.forward = {cast + words + found * size_of(type) + (parts > 1 ? share * (parts + 2) * 4 : 0) + rows, 0, 12, 6 * state_of_vertex};
  b.forward.exchange = exchange_of_pieces(part / wide + 2 + indices) + (parts > 1 ? exchange_of_pieces(parts * (share / found + 1) + found / share + 2) : 0);
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
  std::uint64_t turns = 1;      ///< in which the heads are done
  std::uint64_t pieces = 0;     ///< that a tile gets for a product whose rows are queries [capped]
  std::uint64_t of_sums = 0;    ///< and for one that sums over queries

  constexpr head_products(const bound_question& q, const attention_sizes& a) {
    const head_tiles at(q.chip.tiles, a);
    const std::size_t p = a.positions, w = a.width();
    turns = ipu::divided_up(a.pairs(), at.at_once);
    rows = turns * at.queries(a).most() * p;
    const std::uint64_t mine = at.queries(a).most(), most = 2 * p + at.parts;
    const std::uint64_t memory = algorithms::max<std::uint64_t>(1, q.memory().value);
    std::uint64_t portions = 1;  // of what a tile has for a product, where that is too much at once
    const auto add = [&](const ipu::matmul_shape& s) {
      const ipu::matmul_plan plan = at.by_queries(q.chip, s);
      raise(plan, s, mine);
      portions = algorithms::max(portions, ipu::divided_up(plan.temporary.value, memory));
      if (s.a_transposed || plan.temporary > q.memory()) return;
      raise(sooner_cut(q.chip, s, plan, q.memory(), false), s, mine);  // or it stays, where rows of scores do
    };
    add({p, w, p, a.type, false, true}), add({p, p, w, a.type}), add({p, p, w, a.type, true, false});
    // Of many tiles each has a part in place of portions, which are powers of two.
    const std::uint64_t capped = ipu::divided_up(portions + 1, algorithms::max<std::uint64_t>(1, at.share / 4)) * most;
    pieces = turns * (portions == 1 ? algorithms::min(pieces, most) : capped);
    of_sums = turns * (portions == 1 ? algorithms::min(4 * mine + 2 * at.parts, most) : capped);
  }
  /// Some of them, one after the other: those whose rows are queries, and those that sum over them.
  [[nodiscard]] constexpr pass_bound pass(std::size_t by_rows, std::size_t sums) const {
    const std::size_t products = by_rows + sums;
    return {temporary, by_rows * exchange_of_pieces(pieces) + sums * exchange_of_pieces(of_sums), products * 4 * turns,
            products * 2 * turns * state_of_vertex};
  }
  /// Rows of keys or values, all that are not cut; of queries; and what is put together again where rows of scores stand.
  constexpr void raise(const ipu::matmul_plan& plan, const ipu::matmul_shape& s, std::uint64_t mine) {
    temporary = algorithms::max<std::uint64_t>(temporary, plan.temporary.value);
    if (s.a_transposed) return;
    const std::uint64_t others = s.b_transposed ? ipu::divided_up(s.n, plan.n_parts) : s.k;
    pieces = algorithms::max<std::uint64_t>(pieces, others + ipu::divided_up(s.m, plan.m_parts) + (1 + plan.n_parts) * mine);
  }
};

template <class E>
constexpr attention_sizes bound_sizes(const bound_question& q, std::size_t heads, std::size_t positions, std::size_t features) {
  return {q.samples, heads, positions, features, bound_precision<E>(q)};
}

/// Work on rows of values, brought as whole rows or where they stand: `values` of them, and numbers of rows that go to and fro [capped].
constexpr pass_bound row_work_bound(std::uint64_t values, std::uint64_t bytes_of_value, std::uint64_t rows) {
  return {values * bytes_of_value + 16 * rows, 8 * exchange_of_copy, 16, 8 * state_of_vertex};
}
template <class E>
constexpr pass_bound row_work_bound(const bound_question& q, std::uint64_t values, std::size_t rows, std::size_t length) {
  const std::uint64_t whole = q.rows(q.samples * rows, length * sizeof(E)), spread = q.spread(bound_type<E>, rows * length);
  const std::uint64_t most = algorithms::max(whole, spread);
  return row_work_bound(values, most, most / (length * sizeof(E)) + 2);
}
template <class E>
constexpr layer_bound bound_of_softmax(const bound_question& q, std::size_t rows, std::size_t length) {
  layer_bound b;
  b.forward = row_work_bound<E>(q, 2, rows, length), b.to_inputs = row_work_bound<E>(q, 3, rows, length);
  b.code = {{{"softmax", 1536}, {"softmax gradient", 1024}, {"cast", 256}}, 3};
  return b;
}
/// Copies that leave a value element by element, as where it is turned round.
template <class E>
constexpr pass_bound turned_bound(const bound_question& q, std::size_t elements) {
  const std::uint64_t value = q.spread(bound_type<E>, elements);
  return {2 * value, exchange_of_pieces(2 * value / sizeof(E)), 4, 2 * state_of_vertex};
}

}  // namespace impl

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class... Segment, class Y>
constexpr layer_bound bound_on_tiles(attention_t<Heads, Causal>, in<tensor<E, P, F>, Segment...>, out<Y>, const bound_question& q) {
  const impl::head_products heads(q, impl::bound_sizes<E>(q, Heads, P, F / 3));
  const std::uint64_t square = heads.rows * sizeof(E), segments = sizeof...(Segment) > 0 ? q.samples * P * 4 : 0;
  const pass_bound rows = impl::row_work_bound(1, square, heads.rows / P + 1);
  const auto pass = [&](std::uint64_t squares, std::size_t by_rows, std::size_t sums) {
    pass_bound made = heads.pass(by_rows, sums);
    made.then({rows.temporary + segments, rows.exchange + impl::exchange_of_copy, rows.steps + 4, rows.state});
    made.temporary += squares * square + q.spread(impl::bound_type<E>, P * F);
    return made;
  };
  layer_bound b;
  b.forward = pass(2, 2, 0), b.to_inputs = pass(3, 4, 2);
  b.code = {{{"matmul", 1612}, {"reduce", 256}, {"scores", 256}, {"softmax", 1536}, {"softmax gradient", 1024}, {"cast", 256}}, 6};
  return b;
}

template <std::size_t Heads, class E, std::size_t P, std::size_t F, class Y>
constexpr layer_bound bound_on_tiles(attention_scores_t<Heads>, in<tensor<E, P, F>>, out<Y>, const bound_question& q) {
  const impl::head_products heads(q, impl::bound_sizes<E>(q, Heads, P, F / 3));
  layer_bound b;
  b.forward = heads.pass(1, 0).then(impl::row_work_bound<E>(q, 1, P * Heads, P));
  b.to_inputs = heads.pass(1, 1).then(impl::row_work_bound<E>(q, 1, P, F));
  b.code = {{{"matmul", 1612}, {"reduce", 256}, {"scores", 256}, {"fill", 256}, {"cast", 256}}, 5};
  return b;
}

template <class E, std::size_t P, std::size_t S>
constexpr layer_bound bound_on_tiles(attention_shares_t, in<tensor<E, P, S>>, out<tensor<E, P, S>>, const bound_question& q) {
  return impl::bound_of_softmax<E>(q, S, P);
}

template <class E, std::size_t P, std::size_t S, std::size_t F, class Y>
constexpr layer_bound bound_on_tiles(weighted_values_t, in<tensor<E, P, S>, tensor<E, P, F>>, out<Y>, const bound_question& q) {
  const impl::head_products heads(q, impl::bound_sizes<E>(q, S / P, P, F / 3));
  layer_bound b;
  b.forward = heads.pass(1, 0), b.to_inputs = heads.pass(1, 1);
  b.to_inputs.then(impl::brought(0, 1));
  b.code = {{{"matmul", 1612}, {"reduce", 256}, {"fill", 256}, {"cast", 256}}, 4};
  return b;
}

namespace impl {

/// A mask works where scores stand; the numbers of the samples' positions are brought there.
template <class E>
constexpr layer_bound bound_of_mask(const bound_question& q, std::size_t positions, std::size_t scores, bool has_segments) {
  const std::uint64_t value = q.spread(bound_type<E>, positions * scores);
  const std::uint64_t samples = algorithms::min<std::uint64_t>(q.samples, value / (positions * scores * sizeof(E)) + 2);
  layer_bound b;
  b.forward = b.to_inputs = brought(value + (has_segments ? 4 * positions * samples : 0), 3);
  b.code = {{{has_segments ? "segment mask" : "causal mask", 256}}, 1};
  return b;
}

}  // namespace impl

template <class E, std::size_t P, std::size_t S>
constexpr layer_bound bound_on_tiles(causal_mask_t, in<tensor<E, P, S>>, out<tensor<E, P, S>>, const bound_question& q) {
  return impl::bound_of_mask<E>(q, P, S, false);
}
template <class E, std::size_t P, std::size_t S, class Segment>
constexpr layer_bound bound_on_tiles(segment_mask_t, in<tensor<E, P, S>, tensor<Segment, P>>, out<tensor<E, P, S>>, const bound_question& q) {
  return impl::bound_of_mask<E>(q, P, S, true);
}

template <class X>
constexpr layer_bound bound_on_tiles(softmax_t, in<X>, out<X>, const bound_question& q) {
  constexpr std::size_t rows = impl::rows_in<typename X::shape_type>::count;
  return impl::bound_of_softmax<typename X::element_type>(q, rows, X::elements / rows);
}

template <class Layer, class X, class Y>
  requires impl::turns_round<Layer>
constexpr layer_bound bound_on_tiles(Layer, in<X>, out<Y>, const bound_question& q) {
  layer_bound b;
  b.forward = b.to_inputs = impl::turned_bound<typename X::element_type>(q, X::elements);
  return b;
}

template <class X, class Y>
constexpr layer_bound bound_on_tiles(class_token_t, in<X>, out<Y>, const bound_question& q) {
  constexpr std::size_t features = X::extent(1);
  constexpr ipu::element_type type = impl::bound_type<typename X::element_type>;
  const std::uint64_t value = q.spread(type, Y::elements);
  layer_bound b;
  b.forward = impl::brought(value + impl::cast_weights(q, type, features), 3);
  b.to_inputs = impl::brought(value, 2);
  b.to_weights = impl::bias_gradient(q, type, features, 1).then(impl::added_up(q, features));
  b.to_weights.temporary += q.spread(type, features);
  b.code = {{{"reduce", 256}, {"scaled add", 256}, {"cast", 256}}, 3};
  return b;
}

template <std::size_t Position, class X, class Y>
constexpr layer_bound bound_on_tiles(position_t<Position>, in<X>, out<Y>, const bound_question& q) {
  layer_bound b;
  b.forward = impl::brought(q.spread(impl::bound_type<typename X::element_type>, Y::elements), 2);
  b.to_inputs = impl::brought(q.spread(impl::bound_type<typename X::element_type>, X::elements), 3);
  b.code = {{{"fill", 256}}, 1};
  return b;
}

}  // namespace ipuflow::nn
