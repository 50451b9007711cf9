// SPDX-License-Identifier: BSL-1.0
// Attention as programs: for each sample and head a product of queries and keys, a softmax, a product with values, and
// the gradients of all that. Every head has its own share of the tiles, so all are done at once.
#pragma once

#include <validation/layers.hpp>

#include <cstddef>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

struct attention_shape {
  std::size_t samples = 1;
  std::size_t sequence = 128;
  std::size_t hidden = 1024;
  std::size_t heads = 16;

  constexpr std::size_t pairs() const { return samples * heads; }
  constexpr std::size_t width() const { return hidden / heads; }
};

/// A matrix inside a larger one: where it begins there, and how far apart its rows are.
struct matrix_window {
  variable_id inside{};
  std::size_t first = 0, pitch = 0;
};

/// A small matrix that a product is planned with, in place of the window that it really is.
struct window_view {
  variable_id stand_in{};
  matrix_window window;
  std::size_t columns = 0;
};

/// Copies to and from the stand-ins go to and from their windows.
inline void look_through(step& s, const std::vector<window_view>& views) {
  for_each_inner(s, [&](step& inner) { look_through(inner, views); });
  copy* const copied = std::get_if<copy>(&s);
  if (copied == nullptr) return;
  const auto look = [&](copy_end& end) {
    for (const window_view& v : views) {
      if (end.variable.index != v.stand_in.index) continue;
      end = {v.window.inside, v.window.first + end.begin / v.columns * v.window.pitch + end.begin % v.columns,
             end.step / v.columns * v.window.pitch};
      return;
    }
  };
  for (copy_piece& p : copied->pieces) {
    look(p.from);
    look(p.to);
  }
}

/// Products of the same shape, one for each pair of a sample and a head, at once.
class products_of_heads {
 public:
  products_of_heads(network_sketch& net, const attention_shape& a)
      : net_{net}, a_{a}, share_{std::max<std::size_t>(1, net.g.tiles() / a.pairs())} {}

  /// `left`, `right` and `out` give the window of a pair.
  template <class Left, class Right, class Out>
  step operator()(const matmul_shape& s, Left&& left, Right&& right, Out&& out) {
    const bytes memory = memory_for(net_.g, net_.plan);
    const matmul_plan plan = plan_matmul(net_.g.chip(), s, share_, memory);
    std::vector<step> parts;
    for (std::size_t pair = 0; pair < a_.pairs(); ++pair) {
      const std::size_t first = pair * share_ % (net_.g.tiles() - share_ + 1);
      const auto view = [&](const matrix_window& w, std::size_t rows, std::size_t columns) {
        const std::size_t elsewhere = (first + share_) % net_.g.tiles();  // never in place
        return window_view{
            net_.g.add_temporary(name_from("head"), net_.element, rows * columns, on_tile(rows * columns, elsewhere)),
            w, columns};
      };
      const auto l = s.a_transposed ? view(left(pair), s.k, s.m) : view(left(pair), s.m, s.k);
      const auto r = s.b_transposed ? view(right(pair), s.n, s.k) : view(right(pair), s.k, s.n);
      const auto o = view(out(pair), s.m, s.n);
      parts.push_back(matmul(net_.g, s, plan, l.stand_in, r.stand_in, o.stand_in, first));
      look_through(parts.back(), {l, r, o});
    }
    return abreast(net_.g, parts);
  }

 private:
  network_sketch& net_;
  attention_shape a_;
  std::size_t share_;
};

/// From rows of queries, keys and values side by side to rows of results.
inline traced_value attention(network_sketch& net, const attention_shape& a, const traced_value& qkv) {
  const std::size_t all = a.pairs() * a.sequence * a.sequence;
  const traced_value y = net.value("attention", a.samples * a.sequence * a.hidden);
  const traced_value scores = net.value("scores", all), masked = net.value("masked", all),
                     chances = net.value("chances", all);
  const variable_id mask = net.temporary("mask", a.sequence);
  const auto in_rows = [&](variable_id v, std::size_t columns, std::size_t part) {
    return [=](std::size_t pair) {
      const std::size_t row = pair / a.heads * a.sequence;
      return matrix_window{v, row * columns + part * a.hidden + pair % a.heads * a.width(), columns};
    };
  };
  const auto square = [&](variable_id v) {
    return [=](std::size_t pair) { return matrix_window{v, pair * a.sequence * a.sequence, a.sequence}; };
  };
  products_of_heads products(net, a);
  const std::size_t s = a.sequence, d = a.width(), wide = 3 * a.hidden;
  const auto q = in_rows(qkv.value, wide, 0), k = in_rows(qkv.value, wide, 1), v = in_rows(qkv.value, wide, 2);
  const auto dq = in_rows(qkv.slope, wide, 0), dk = in_rows(qkv.slope, wide, 1), dv = in_rows(qkv.slope, wide, 2);
  const auto o = in_rows(y.value, a.hidden, 0), d_o = in_rows(y.slope, a.hidden, 0);
  const amp_precision type = net.type;
  const std::size_t rows = a.pairs() * s;
  net.forward.push_back(products({s, d, s, type, false, true}, q, k, square(scores.value)));
  net.forward.push_back(net.on_rows("scale and mask", {scores.value}, {{mask, s, 1}}, masked.value, 2));
  net.forward.push_back(softmax(net.g, rows, masked.value, chances.value, net.plan));
  net.forward.push_back(products({s, s, d, type}, square(chances.value), v, o));
  net.backward.push_back(products({s, s, d, type}, square(scores.slope), k, dq));
  net.backward.push_back(products({s, s, d, type, true, false}, square(scores.slope), q, dk));
  net.backward.push_back(net.on_rows("scale", {masked.slope}, {}, scores.slope, 1));
  net.backward.push_back(softmax_gradient(net.g, rows, chances.value, chances.slope, masked.slope, net.plan));
  net.backward.push_back(products({s, s, d, type, true, false}, square(chances.value), d_o, dv));
  net.backward.push_back(products({s, d, s, type, false, true}, d_o, v, square(chances.slope)));
  return y;
}

}  // namespace validation
