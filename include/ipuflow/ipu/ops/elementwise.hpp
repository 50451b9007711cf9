// SPDX-License-Identifier: BSL-1.0
// Operations on each element: fill, cast, unary and binary functions, gradients of the non-linearities, scaled
// addition. Operands are brought to where the result is; half is computed in float and rounded once.
#pragma once

#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/engine/half_span.hpp>
#include <ipuflow/ipu/ops/function_values.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

inline constexpr bytes elementwise_code{256};

/// Calls `make` with a value of the element type, float or half, and returns what it returns.
template <class Make>
[[nodiscard]] auto with_real(element_type type, Make&& make) {
  return type == element_type::f16 ? make(half{}) : make(float{});
}

/// Every element becomes `value`.
template <class = void>
[[nodiscard]] inline step fill(graph& g, variable_id v, float value) {
  const element_type type = g[v].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("fill"), elementwise_code,
        [value](std::span<type_of> out) {
          for (type_of& x : out) x = type_of{value};
        },
        [type](const architecture& chip, lengths n) {
          vertex_cost cost = fill_cost(chip, type, divided_up(n[0], chip.workers));  // a worker has a sixth
          cost.all_workers = true;
          return cost;
        });
  });
  return on_each_tile(g, "fill", code, v, {whole(v)});
}

/// float to half or back.
template <class = void>
[[nodiscard]] inline step cast(graph& g, variable_id from, variable_id to) {
  const arranged in = arrange_like(g, from, to);
  const auto cost = [](const architecture& chip, lengths n) { return cast_cost(chip, n[0]); };
  const codelet code = g[from].type() == element_type::f32
                           ? codelet(
                                 name_from("cast"), elementwise_code,
                                 [](std::span<const float> a, std::span<half> out) { narrow(a.data(), out); }, cost)
                           : codelet(
                                 name_from("cast"), elementwise_code,
                                 [](std::span<const half> a, std::span<float> out) { widen(a, out.data()); }, cost);
  return sequence(in.bring, on_each_tile(g, "cast", code, to, {whole(in.variable), whole(to)}));
}

/// out = op(in)
template <class = void>
[[nodiscard]] inline step apply(graph& g, unary op, variable_id in, variable_id out) {
  const arranged a = arrange_like(g, in, out);
  const element_type type = g[out].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(name_of(op)), elementwise_code,
        [op](std::span<const type_of> x, std::span<type_of> y) {
          for (std::size_t i = 0; i < x.size(); ++i) y[i] = type_of{value_of(op, float{x[i]})};
        },
        [op, type](const architecture& chip, lengths n) { return unary_cost(chip, op, type, n[0]); });
  });
  return sequence(a.bring, on_each_tile(g, name_of(op), code, out, {whole(a.variable), whole(out)}));
}

/// out = op(a, b)
template <class = void>
[[nodiscard]] inline step apply(graph& g, binary op, variable_id a, variable_id b, variable_id out) {
  const arranged left = arrange_like(g, a, out);
  const arranged right = arrange_like(g, b, out);
  const element_type type = g[out].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(name_of(op)), elementwise_code,
        [op](std::span<const type_of> x, std::span<const type_of> y, std::span<type_of> z) {
          for (std::size_t i = 0; i < x.size(); ++i) z[i] = type_of{value_of(op, float{x[i]}, float{y[i]})};
        },
        [op, type](const architecture& chip, lengths n) { return binary_cost(chip, op, type, n[0]); });
  });
  const std::vector<operand> operands{whole(left.variable), whole(right.variable), whole(out)};
  return sequence(left.bring, right.bring, on_each_tile(g, name_of(op), code, out, operands));
}

/// d_in = d_out times the slope of the function, which went from or came to `seen`: its output, for gelu its input.
template <class = void>
[[nodiscard]] inline step apply(graph& g, gradient op, variable_id seen, variable_id d_out, variable_id d_in) {
  const arranged left = arrange_like(g, seen, d_in);
  const arranged right = arrange_like(g, d_out, d_in);
  const element_type type = g[d_in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("gradient"), elementwise_code,
        [op](std::span<const type_of> x, std::span<const type_of> dy, std::span<type_of> dx) {
          for (std::size_t i = 0; i < x.size(); ++i) dx[i] = type_of{slope_of(op, float{x[i]}) * float{dy[i]}};
        },
        [op, type](const architecture& chip, lengths n) { return gradient_cost(chip, op, type, n[0]); });
  });
  const std::vector<operand> operands{whole(left.variable), whole(right.variable), whole(d_in)};
  return sequence(left.bring, right.bring, on_each_tile(g, "gradient", code, d_in, operands));
}

/// a += scale * b
template <class = void>
[[nodiscard]] inline step scaled_add(graph& g, variable_id a, float scale, variable_id b) {
  const arranged right = arrange_like(g, b, a);
  const element_type type = g[a].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("scaled add"), elementwise_code,
        [scale](inout<type_of> x, std::span<const type_of> y) {
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = type_of{float{x[i]} + scale * float{y[i]}};
        },
        [type](const architecture& chip, lengths n) { return scaled_add_cost(chip, type, n[0]); });
  });
  return sequence(right.bring, on_each_tile(g, "scaled add", code, a, {whole(a), whole(right.variable)}));
}

/// out[row, :] = in[row, :] + bias, `out` of rows as long as `bias`. The bias is given to each tile that holds part of
/// a row.
template <class = void>
[[nodiscard]] inline step add_to_rows(graph& g, variable_id in, variable_id bias, variable_id out) {
  const std::size_t width = g[bias].elements();
  std::vector<copy_piece> pieces;
  for (const mapped_interval& i : g[out].map()) {
    for (std::size_t e = i.begin; e < i.end;) {
      const std::size_t length = std::min(i.end - e, width - e % width);
      pieces.push_back({{}, e % width, {}, e, length});
      e += length;
    }
  }
  const arranged spread = arrange(g, bias, "bias", g[out].map(), std::move(pieces));
  return sequence(spread.bring, apply(g, binary::add, in, spread.variable, out));
}

}  // namespace ipuflow::ipu
