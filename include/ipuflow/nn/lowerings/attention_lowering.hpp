// SPDX-License-Identifier: BSL-1.0
// Attention on tiles: for each sample and head a product of queries and keys, a softmax, and a product with values. Every head has its
// share of the tiles, so all are done at once. Backward makes the scores again.
#pragma once

#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/program/abreast.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace ipuflow::nn {

namespace impl {

/// A matrix inside a variable, one for each pair of a sample and a head: the pairs of a sample are side by side, in rows of all.
struct head_windows {
  ipu::variable_id inside{};
  std::size_t sample_step = 0;  // elements from one sample to the next
  std::size_t head_step = 0;
  std::size_t first = 0;
  std::size_t pitch = 0;  // from one row to the next
};

struct attention_sizes {
  std::size_t samples = 1;
  std::size_t heads = 1;
  std::size_t positions = 1;
  std::size_t features = 1;  // of what comes out
  ipu::amp_precision type = ipu::amp_precision::float_float;

  constexpr std::size_t pairs() const { return samples * heads; }
  constexpr std::size_t width() const { return features / heads; }
};

/// A small matrix that a product is planned with, in place of the window that it really is.
struct stand_in {
  ipu::variable_id variable{};
  ipu::variable_id inside{};
  std::size_t first = 0;
  std::size_t pitch = 0;
  std::size_t columns = 0;
};

/// Copies to and from stand-ins go to and from their windows.
template <class = void>
inline void look_through(ipu::step& s, std::span<const stand_in> views) {
  ipu::for_each_inner(s, [&](ipu::step& inner) { look_through(inner, views); });
  ipu::copy* const copied = std::get_if<ipu::copy>(&s);
  if (copied == nullptr) return;
  const auto look = [&](ipu::copy_end& end) {
    for (const stand_in& v : views) {
      if (end.variable.index != v.variable.index) continue;
      end = {v.inside, v.first + end.begin / v.columns * v.pitch + end.begin % v.columns, end.step / v.columns * v.pitch};
      return;
    }
  };
  for (ipu::copy_piece& p : copied->pieces) {
    look(p.from);
    look(p.to);
  }
}

/// Products of one shape, one for each pair of a sample and a head, as many at once as there are tiles.
template <class = void>
inline ipu::step products_of_heads(const lowering& l, const attention_sizes& a, const ipu::matmul_shape& s, const head_windows& left,
                                   const head_windows& right, const head_windows& out) {
  const std::size_t tiles = ipu::tiles_for(l.g, l.where);
  const std::size_t share = std::max<std::size_t>(1, tiles / a.pairs());
  const std::size_t at_once = tiles / share;
  const ipu::matmul_plan plan = ipu::plan_matmul(l.g.chip(), s, share, ipu::memory_for(l.g, l.where));
  ipu::step program;
  std::vector<ipu::step> parts;
  for (std::size_t pair = 0; pair < a.pairs(); ++pair) {
    const std::size_t place = pair % at_once;
    const std::size_t first = l.where.first_tile + place * share;
    // Beside the share's first tile, which alone could hold a whole matrix: never in place, so there is a copy to look through.
    const std::size_t on_chip = first % l.g.chip().tiles, elsewhere = first - on_chip + (on_chip + 1) % l.g.chip().tiles;
    const auto view = [&](const head_windows& w, std::size_t rows, std::size_t columns) {
      return stand_in{l.g.add_temporary(l.name_of("head"), l.g[w.inside].type(), rows * columns, ipu::on_tile(rows * columns, elsewhere)),
                      w.inside, w.first + pair / a.heads * w.sample_step + pair % a.heads * w.head_step, w.pitch, columns};
    };
    const stand_in views[] = {s.a_transposed ? view(left, s.k, s.m) : view(left, s.m, s.k),
                              s.b_transposed ? view(right, s.n, s.k) : view(right, s.k, s.n), view(out, s.m, s.n)};
    parts.push_back(ipu::matmul(l.g, s, plan, views[0].variable, views[1].variable, views[2].variable, first));
    look_through(parts.back(), views);
    if (parts.size() == at_once || pair + 1 == a.pairs()) {
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

/// The steps of one layer, over variables of its own for scores.
template <class E, class Segment>
struct attention_on_tiles {
  const lowering& l;
  attention_sizes sizes;
  bool causal = false;
  ipu::variable_id x{};
  std::optional<ipu::variable_id> segments{};

  std::size_t all() const { return sizes.pairs() * sizes.positions * sizes.positions; }
  std::size_t rows() const { return sizes.pairs() * sizes.positions; }
  float scale() const { return static_cast<float>(1 / square_root(static_cast<double>(sizes.width()))); }
  ipu::variable_id room(std::string_view name) const { return l.temporary(name, ipu::element_type_of<E>(), all()); }

  /// Queries, keys or values, or what comes out: `parts` matrices stand side by side in each row.
  head_windows in_rows(ipu::variable_id v, std::size_t part, std::size_t parts) const {
    const std::size_t row = parts * sizes.features;
    return {v, sizes.positions * row, sizes.width(), part * sizes.features, row};
  }
  head_windows squares(ipu::variable_id v) const {
    const std::size_t square = sizes.positions * sizes.positions;
    return {v, sizes.heads * square, square, 0, sizes.positions};
  }
  ipu::step product(const ipu::matmul_shape& s, const head_windows& left, const head_windows& right, const head_windows& out) const {
    return products_of_heads(l, sizes, s, left, right, out);
  }

  /// The part that each query takes of each value.
  ipu::step shares_into(ipu::variable_id shares) const {
    const ipu::variable_id scores = room("scores");
    const std::size_t p = sizes.positions;
    ipu::step made = product({p, sizes.width(), p, sizes.type, false, true}, in_rows(x, 0, 3), in_rows(x, 1, 3), squares(scores));
    const ipu::codelet code = scores_codelet<E, Segment>(sizes, causal, scale());
    if (segments) {
      made.then(on_rows(l, "scores", rows(), code, {change_rows(scores), everywhere(*segments)}));
    } else {
      made.then(on_rows(l, "scores", rows(), code, {change_rows(scores)}));
    }
    made.then(ipu::softmax(l.g, rows(), scores, shares, l.where));
    return made;
  }

  ipu::step forward(ipu::variable_id y) const {
    const ipu::variable_id shares = room("shares");
    const std::size_t p = sizes.positions;
    return ipu::sequence(shares_into(shares),
                         product({p, p, sizes.width(), sizes.type}, squares(shares), in_rows(x, 2, 3), in_rows(y, 0, 1)));
  }

  ipu::step backward(ipu::variable_id d_y, ipu::variable_id d_x) const {
    const ipu::variable_id shares = room("shares"), d_shares = room("d shares"), d_scores = room("d scores");
    const std::size_t p = sizes.positions, width = sizes.width();
    ipu::step made = shares_into(shares);
    made.then(product({p, width, p, sizes.type, false, true}, in_rows(d_y, 0, 1), in_rows(x, 2, 3), squares(d_shares)));
    made.then(product({p, p, width, sizes.type, true, false}, squares(shares), in_rows(d_y, 0, 1), in_rows(d_x, 2, 3)));
    made.then(ipu::softmax_gradient(l.g, rows(), shares, d_shares, d_scores, l.where));
    made.then(on_rows(l, "scores", rows(), scores_codelet<E, void>(sizes, false, scale()), {change_rows(d_scores)}));
    made.then(product({p, p, width, sizes.type}, squares(d_scores), in_rows(x, 1, 3), in_rows(d_x, 0, 3)));
    made.then(product({p, p, width, sizes.type, true, false}, squares(d_scores), in_rows(x, 0, 3), in_rows(d_x, 1, 3)));
    return made;
  }
};

template <std::size_t Heads, class E, std::size_t P, std::size_t F>
constexpr attention_sizes sizes_of(std::size_t samples) {
  return {samples, Heads, P, F / 3, precision_of<E>};
}

}  // namespace impl

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_forward(attention_t<Heads, Causal>, const forward_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, void>{l, impl::sizes_of<Heads, E, P, F>(l.samples), Causal, l.in[0]}.forward(l.out[0]);
}
template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Y>
ipu::step lower_backward_inputs(attention_t<Heads, Causal>, const inputs_lowering<in<tensor<E, P, F>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, void>{l, impl::sizes_of<Heads, E, P, F>(l.samples), Causal, l.in[0]}.backward(l.d_out[0], l.d_in[0]);
}

template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Segment, class Y>
ipu::step lower_forward(attention_t<Heads, Causal>, const forward_lowering<in<tensor<E, P, F>, tensor<Segment, P>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, Segment>{l, impl::sizes_of<Heads, E, P, F>(l.samples), Causal, l.in[0], l.in[1].variable}.forward(
      l.out[0]);
}
template <std::size_t Heads, bool Causal, class E, std::size_t P, std::size_t F, class Segment, class Y>
ipu::step lower_backward_inputs(attention_t<Heads, Causal>,
                                const inputs_lowering<in<tensor<E, P, F>, tensor<Segment, P>>, out<Y>>& l) {
  return impl::attention_on_tiles<E, Segment>{l, impl::sizes_of<Heads, E, P, F>(l.samples), Causal, l.in[0], l.in[1].variable}.backward(
      l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
