// SPDX-License-Identifier: BSL-1.0
// Attention on tiles: for each sample and head a product of queries and keys, a softmax, and a product with values. Every head has its
// share of the tiles, so all are done at once. Backward makes the scores again.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/program/abreast.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/lowerings/head_plan.hpp>
#include <ipuflow/nn/lowerings/head_windows.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// Rows of scores, whole, where they are made and read.
template <class = void>
inline ipu::mapping rows_of_scores(const lowering& l, const attention_sizes& a) {
  const head_tiles at(ipu::tiles_for(l.g, l.where), a);
  const ipu::dimension_cut queries = at.queries(a);
  ipu::mapping made;
  for (std::size_t pair = 0; pair < a.pairs(); ++pair) {
    for (std::size_t i = 0; i < queries.parts; ++i) {
      const std::size_t first = (pair * a.positions + queries.begin(i)) * a.positions;
      made.push_back({first, first + queries.size(i) * a.positions, l.where.first_tile + pair % at.at_once * at.share + i});
    }
  }
  return made;
}

/// Products of one shape, one for each pair of a sample and a head, as many at once as there are tiles. Each is cut by its queries, which
/// are its rows or what it sums over, if what every tile then has of keys or values fits, and by these as well, if that is sooner done.
template <class = void>
inline ipu::step products_of_heads(const lowering& l, const attention_sizes& a, const ipu::matmul_shape& s, const head_windows& left,
                                   const head_windows& right, const head_windows& out) {
  const head_tiles at(ipu::tiles_for(l.g, l.where), a);
  ipu::matmul_plan plan = at.by_queries(l.g.chip(), s);
  const bytes memory = ipu::memory_for(l.g, l.where);
  const bool by_queries = plan.temporary <= memory;
  if (!by_queries) plan = ipu::plan_matmul(l.g.chip(), s, at.share, memory);
  else if (!s.a_transposed) plan = sooner_cut(l.g.chip(), s, plan, memory, l.g[(s.b_transposed ? out : left).inside].map() == rows_of_scores(l, a));
  ipu::step program;
  light_vector<ipu::step> parts;
  for (std::size_t pair = 0; pair < a.pairs(); ++pair) {
    const std::size_t first = l.where.first_tile + pair % at.at_once * at.share;
    // Outside of the share, or neither on its first tile nor on its last, which alone could hold a whole matrix, a small one's sums
    // among them: never in place, so there is a copy to look through.
    const std::size_t all = l.g.chip().tiles, on_chip = first % all, elsewhere = first - on_chip + (on_chip + (at.share < all ? at.share : 1)) % all;
    const auto view = [&](const head_windows& w, std::size_t rows, std::size_t columns, std::size_t row_parts, std::size_t grain) {
      const bool panels = by_queries && !w.order.is_plain();
      return stand_in{l.g.add_temporary(l.name_of("head"), l.g[w.inside].type(), rows * columns, ipu::on_tile(rows * columns, elsewhere)),
                      w.inside, w.first + pair / a.heads * w.sample_step + pair % a.heads * w.head_step, w.pitch, columns,
                      panels ? ipu::matrix_order{{rows, row_parts, grain}, ipu::in_panels(rows, columns, 1).columns} : ipu::matrix_order{}, w.order};
    };
    const stand_in views[] = {s.a_transposed ? view(left, s.k, s.m, plan.k_parts, plan.k_grain) : view(left, s.m, s.k, plan.m_parts, plan.m_grain),
                              s.b_transposed ? view(right, s.n, s.k, plan.n_parts, plan.n_grain) : view(right, s.k, s.n, plan.k_parts, plan.k_grain),
                              view(out, s.m, s.n, plan.m_parts, plan.m_grain)};
    parts.push_back(ipu::matmul(l.g, s, plan, views[0].variable, views[1].variable, views[2].variable, first,
                                {views[0].order, views[1].order, views[2].order}));
    look_through(parts.back(), views);
    if (parts.size() == at.at_once || pair + 1 == a.pairs()) {
      program.then(ipu::abreast(l.g, parts));
      parts.clear();
    }
  }
  return program;
}

/// Rows of scores, a query each: scaled, and hidden where the query does not see the key.
template <class E, class Segment>
ipu::codelet scores_codelet(const attention_sizes& a, bool causal, float scale) {
  constexpr float hidden = std::is_same_v<E, half> ? -65504 : -1e30f;  // its share is zero
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) { return row_cost(chip, ipu::element_type_of<E>(), n[0], 1); };
  const auto each = [a, causal, scale](std::size_t first_row, ipu::inout<E> scores, auto apart) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const std::size_t row = first_row + i / a.positions, key = i % a.positions, query = row % a.positions;
      const bool seen = (!causal || key <= query) && !apart(row / a.positions / a.heads * a.positions, query, key);
      scores[i] = E{seen ? scale * float{scores[i]} : hidden};
    }
  };
  if constexpr (std::is_void_v<Segment>) {
    return {ipu::name_from("scores"), ipu::elementwise_code,
            [each](std::size_t first_row, ipu::inout<E> scores) {
              each(first_row, scores, [](std::size_t, std::size_t, std::size_t) { return false; });
            },
            cost};
  } else {
    return {ipu::name_from("scores"), ipu::elementwise_code,
            [each](std::size_t first_row, ipu::inout<E> scores, std::span<const Segment> segments) {
              each(first_row, scores, [&](std::size_t sample, std::size_t query, std::size_t key) {
                return segments[sample + query] != segments[sample + key];
              });
            },
            cost};
  }
}

/// Rows of scores on the tiles that have them: each vertex gets the number of the first.
template <class = void>
inline ipu::step on_scores(const lowering& l, const attention_sizes& a, ipu::codelet code, ipu::variable_id scores, const ipu::variable_id* segments) {
  const ipu::mapping map = l.g[scores].map();
  if (head_tiles(ipu::tiles_for(l.g, l.where), a).at_once < a.pairs()) {  // some tiles have rows of several heads
    if (segments == nullptr) return on_rows(l, "scores", a.pairs() * a.positions, code, {change_rows(scores)});
    return on_rows(l, "scores", a.pairs() * a.positions, code, {change_rows(scores), everywhere(*segments)});
  }
  light_vector<ipu::tile_vertex<std::size_t>> vertices;
  for (const ipu::mapped_interval& i : map) vertices.push_back({i.tile, i.begin / a.positions});
  light_vector<ipu::operand> operands{ipu::whole(scores)};
  ipu::step bring;
  if (segments != nullptr) {
    light_vector<ipu::tile_block> blocks;
    const std::size_t all = l.g[*segments].elements();
    for (const ipu::mapped_interval& i : map) blocks.push_back({i.tile, all});
    const ipu::arranged each =
        ipu::arrange(l.g, *segments, "segments", ipu::mapping_of(blocks), {{.length = all, .copies = blocks.size(), .copy_step = all}});
    bring = each.bring;
    operands.push_back(ipu::whole(each.variable));
  }
  const ipu::compute_set_id set = l.g.add_compute_set("scores");
  ipu::add_on_tiles(l.g, set, std::move(code), std::move(vertices), operands);
  return ipu::sequence(std::move(bring), ipu::execute(set));
}

/// The steps of one layer, over variables of its own for scores.
template <class E, class Segment>
struct attention_on_tiles {
  const lowering& l;
  attention_sizes sizes;
  bool causal = false;
  on_tiles x{};
  maybe<ipu::variable_id> segments{};

  std::size_t all() const { return sizes.pairs() * sizes.positions * sizes.positions; }
  std::size_t rows() const { return sizes.pairs() * sizes.positions; }
  float scale() const { return static_cast<float>(1 / square_root(static_cast<double>(sizes.width()))); }
  ipu::variable_id room(std::string_view name) const {
    return l.g.add_temporary(l.name_of(name), ipu::element_type_of<E>(), all(), rows_of_scores(l, sizes));
  }

  /// Queries, keys or values, or what comes out: `parts` matrices stand side by side in each row.
  head_windows in_rows(const on_tiles& v, std::size_t part, std::size_t parts) const {
    const std::size_t row = parts * sizes.features;
    return {v, sizes.positions * row, sizes.width(), part * sizes.features, row, v.order};
  }
  head_windows squares(ipu::variable_id v) const {
    const std::size_t square = sizes.positions * sizes.positions;
    return {v, sizes.heads * square, square, 0, sizes.positions, {}};
  }
  ipu::step product(const ipu::matmul_shape& s, const head_windows& left, const head_windows& right, const head_windows& out) const {
    return products_of_heads(l, sizes, s, left, right, out);
  }

  /// An operation within that of the layer.
  ipu::step part(std::string_view name, ipu::step made) const { return l.g.operation(name, std::move(made)); }
  /// A product whose sums are put together as rows for what comes behind it: copies of their own.
  ipu::step part_with_rows(std::string_view name, ipu::step made, ipu::variable_id rows) const {
    ipu::step program, before;
    const auto add = [&](ipu::step& s) {
      const auto* const moved = s.get_if<ipu::copy>();
      const bool puts_together = moved != nullptr && !moved->pieces.empty() && moved->pieces[0].to.variable.index == rows.index;
      if (puts_together) {
        program.then(part(name, algorithms::exchange(before, {}))).then(part("rows", std::move(s)));
      } else {
        before.then(std::move(s));
      }
    };
    ipu::for_each_inner(made, add);
    if (!before.empty()) program.then(part(name, std::move(before)));
    return program;
  }

  /// The part that each query takes of each value.
  ipu::step shares_into(ipu::variable_id shares) const {
    const ipu::variable_id scores = room("scores");
    const std::size_t p = sizes.positions;
    ipu::step made = part_with_rows(
        "scores", product({p, sizes.width(), p, sizes.type, false, true}, in_rows(x, 0, 3), in_rows(x, 1, 3), squares(scores)), scores);
    made.then(part("hiding", on_scores(l, sizes, scores_codelet<E, Segment>(sizes, causal, scale()), scores, segments ? &*segments : nullptr)));
    made.then(part("softmax", ipu::softmax(l.g, rows(), scores, shares, l.where)));
    return made;
  }

  ipu::step forward(const on_tiles& y) const {
    const ipu::variable_id shares = room("shares");
    const std::size_t p = sizes.positions;
    return ipu::sequence(shares_into(shares),
                         part("mixing", product({p, p, sizes.width(), sizes.type}, squares(shares), in_rows(x, 2, 3), in_rows(y, 0, 1))));
  }

  ipu::step backward(const on_tiles& d_y, const on_tiles& d_x) const {
    const ipu::variable_id shares = room("shares"), d_shares = room("d shares"), d_scores = room("d scores");
    const std::size_t p = sizes.positions, width = sizes.width();
    ipu::step made = shares_into(shares);
    made.then(part_with_rows(
        "to shares", product({p, width, p, sizes.type, false, true}, in_rows(d_y, 0, 1), in_rows(x, 2, 3), squares(d_shares)), d_shares));
    made.then(part("to values", product({p, p, width, sizes.type, true, false}, squares(shares), in_rows(d_y, 0, 1), in_rows(d_x, 2, 3))));
    made.then(part("to scores", ipu::softmax_gradient(l.g, rows(), shares, d_shares, d_scores, l.where)));
    made.then(part("scaling", on_scores(l, sizes, scores_codelet<E, void>(sizes, false, scale()), d_scores, nullptr)));
    made.then(part("to queries", product({p, p, width, sizes.type}, squares(d_scores), in_rows(x, 1, 3), in_rows(d_x, 0, 3))));
    made.then(part("to keys", product({p, p, width, sizes.type, true, false}, squares(d_scores), in_rows(x, 0, 3), in_rows(d_x, 1, 3))));
    return made;
  }
};

template <std::size_t Heads, class E, std::size_t P, std::size_t F>
constexpr attention_sizes sizes_of(const lowering& l) {
  return {l.samples, Heads, P, F / 3, ipu::summed_as(precision_of<E>, l.where)};
}

}  // namespace impl

template <std::size_t Heads, bool Causal, class X, class Y, class... Segment>
constexpr panel_use panels_on_tiles(attention_t<Heads, Causal>, const forward_lowering<in<X, Segment...>, out<Y>>*) {
  return impl::takes_panels<X, Y>();
}

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_forward(attention_t<Heads, Causal>, const forward_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, void>{l, impl::sizes_of<Heads, E, P, F>(l), Causal, l.in[0]}.forward(l.out[0]);
}
template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_backward_inputs(attention_t<Heads, Causal>, const inputs_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, void>{l, impl::sizes_of<Heads, E, P, F>(l), Causal, l.in[0]}.backward(l.d_out[0], l.d_in[0]);
}

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Segment, class Y>
ipu::step lower_forward(attention_t<Heads, Causal>, const forward_lowering<in<tensor<E, P, F>, tensor<Segment, P>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, Segment>{l, impl::sizes_of<Heads, E, P, F>(l), Causal, l.in[0], l.in[1].variable}.forward(
      l.out[0]);
}
template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Segment, class Y>
ipu::step lower_backward_inputs(attention_t<Heads, Causal>,
                                const inputs_lowering<in<tensor<E, P, F>, tensor<Segment, P>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, Segment>{l, impl::sizes_of<Heads, E, P, F>(l), Causal, l.in[0], l.in[1].variable}.backward(
      l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
