// SPDX-License-Identifier: BSL-1.0
// Operations on each element: fill, cast, unary and binary functions, gradients of the non-linearities, scaled
// addition. Operands are brought to where the result is; half is computed in float and rounded once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/engine/half_span.hpp>
#include <ipuflow/ipu/ops/functions.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu {

inline constexpr bytes elementwise_code{256};

/// Calls `make` with a value of the element type, float or half, and returns what it returns.
template <class Make>
auto with_real(element_type type, Make&& make) {
  return type == element_type::f16 ? make(half{}) : make(float{});
}

namespace impl {

/// `loop(float in..., float out, count)` over spans of one element type; halves are widened and rounded in parts.
template <class Loop, class Element, class... In>
void in_floats(Loop loop, std::span<Element> out, In... in) {
  if constexpr (std::is_same_v<Element, float>) {
    loop(in.data()..., out.data(), out.size());
  } else {
    constexpr std::size_t most = 64;
    std::array<std::array<float, most>, sizeof...(In)> read;
    std::array<float, most> made;
    for (std::size_t at = 0; at < out.size(); at += most) {
      const std::size_t count = algorithms::min(most, out.size() - at);
      std::size_t number = 0;
      (widen(in.subspan(at, count), read[number++].data()), ...);
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        loop(read[I].data()..., made.data(), count);
      }(std::index_sequence_for<In...>{});
      narrow(made.data(), out.subspan(at, count));
    }
  }
}

}  // namespace impl

/// Every element becomes `value`.
template <class = void>
inline step fill(graph& g, variable_id v, float value) {
  const element_type type = g[v].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("fill"), elementwise_code,
        [value](std::span<type_of> out) {
          for (type_of& x : out) x = type_of{value};
        },
        [type](const architecture& chip, lengths n) {
          vertex_cost cost = impl::fill_cost(chip, type, divided_up(n[0], chip.workers));  // a worker has a sixth
          cost.all_workers = true;
          return cost;
        });
  });
  return on_each_tile(g, "fill", code, v, {whole(v)});
}

namespace impl {

template <class From, class To>
[[nodiscard]] inline codelet cast_codelet() {
  return {name_from("cast"), elementwise_code,
          [](std::span<const From> a, std::span<To> out) {
            if constexpr (std::is_same_v<From, float>)
              narrow(a.data(), out);
            else if constexpr (std::is_same_v<From, half>)
              widen(a, out.data());
            else
              for (std::size_t i = 0; i < a.size(); ++i) out[i] = To{static_cast<float>(a[i])};
          },
          [](const architecture& chip, lengths n) {
            if constexpr (std::is_integral_v<From>)
              return widening_cost(chip, element_type_of<From>(), element_type_of<To>(), n[0]);
            else
              return cast_cost(chip, n[0]);
          }};
}

}  // namespace impl

/// float to half or back, or whole numbers to either.
template <class From, class To>
inline step cast(graph& g, variable_id from, variable_id to) {
  impl::check_elements(g, "cast", {{from, g[to].elements()}});
  const arranged in = arrange_like(g, from, to);
  return sequence(in.bring, on_each_tile(g, "cast", impl::cast_codelet<From, To>(), to, {whole(in.variable), whole(to)}));
}
/// float to half or back.
template <class = void>
inline step cast(graph& g, variable_id from, variable_id to) {
  return g[from].type() == element_type::f32 ? cast<float, half>(g, from, to) : cast<half, float>(g, from, to);
}

/// out = op(in)
template <class = void>
inline step apply(graph& g, const unary& op, variable_id in, variable_id out) {
  impl::check_elements(g, op.name, {{in, g[out].elements()}});
  const arranged a = arrange_like(g, in, out);
  const element_type type = g[out].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(op.name), elementwise_code,
        [op](std::span<const type_of> x, std::span<type_of> y) { impl::in_floats(op.values, y, x); },
        [op, type](const architecture& chip, lengths n) { return unary_cost(chip, op, type, n[0]); });
  });
  return sequence(a.bring, on_each_tile(g, op.name, code, out, {whole(a.variable), whole(out)}));
}

/// v = op(v)
template <class = void>
inline step apply_to(graph& g, const unary& op, variable_id v) {
  const element_type type = g[v].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(op.name), elementwise_code,
        [op](inout<type_of> x) { impl::in_floats(op.values, std::span<type_of>{x}, std::span<const type_of>{x}); },
        [op, type](const architecture& chip, lengths n) { return unary_cost(chip, op, type, n[0], true); });
  });
  return on_each_tile(g, op.name, code, v, {whole(v)});
}

/// v = op(v, b)
template <class = void>
inline step apply_to(graph& g, const binary& op, variable_id v, variable_id b) {
  impl::check_elements(g, op.name, {{b, g[v].elements()}});
  const arranged right = arrange_like(g, b, v);
  const element_type type = g[v].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(op.name), elementwise_code,
        [op](inout<type_of> x, std::span<const type_of> y) { impl::in_floats(op.values, std::span<type_of>{x}, std::span<const type_of>{x}, y); },
        [op, type](const architecture& chip, lengths n) { return binary_cost(chip, op, type, n[0], true); });
  });
  return sequence(right.bring, on_each_tile(g, op.name, code, v, {whole(v), whole(right.variable)}));
}

/// out = op(a, b)
template <class = void>
inline step apply(graph& g, const binary& op, variable_id a, variable_id b, variable_id out) {
  impl::check_elements(g, op.name, {{a, g[out].elements()}, {b, g[out].elements()}});
  const arranged left = arrange_like(g, a, out);
  const arranged right = arrange_like(g, b, out);
  const element_type type = g[out].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from(op.name), elementwise_code,
        [op](std::span<const type_of> x, std::span<const type_of> y, std::span<type_of> z) {
          impl::in_floats(op.values, z, x, y);
        },
        [op, type](const architecture& chip, lengths n) { return binary_cost(chip, op, type, n[0]); });
  });
  const light_vector<operand> operands{whole(left.variable), whole(right.variable), whole(out)};
  return sequence(left.bring, right.bring, on_each_tile(g, op.name, code, out, operands));
}

/// d_in = d_out times the slope of the function, which went from or came to `seen`: its output, for gelu its input.
template <class = void>
inline step apply(graph& g, const gradient& op, variable_id seen, variable_id d_out, variable_id d_in) {
  impl::check_elements(g, "gradient", {{seen, g[d_in].elements()}, {d_out, g[d_in].elements()}});
  const arranged left = arrange_like(g, seen, d_in);
  const arranged right = arrange_like(g, d_out, d_in);
  const element_type type = g[d_in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("gradient"), elementwise_code,
        [op](std::span<const type_of> x, std::span<const type_of> dy, std::span<type_of> dx) {
          impl::in_floats(op.values, dx, x, dy);
        },
        [op, type](const architecture& chip, lengths n) { return gradient_cost(chip, op, type, n[0]); });
  });
  const light_vector<operand> operands{whole(left.variable), whole(right.variable), whole(d_in)};
  return sequence(left.bring, right.bring, on_each_tile(g, "gradient", code, d_in, operands));
}

namespace impl {

template <class Sum, class More>
[[nodiscard]] inline codelet scaled_add_codelet(float scale) {
  return {name_from("scaled add"), elementwise_code,
          [scale](inout<Sum> x, std::span<const More> y) {
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = Sum{float{x[i]} + scale * float{y[i]}};
          },
          [](const architecture& chip, lengths n) {
            return std::is_same_v<Sum, More> ? scaled_add_cost(chip, element_type_of<Sum>(), n[0]) : mixed_scaled_add_cost(chip, n[0]);
          }};
}

}  // namespace impl

/// a += scale * b, of one type or not.
template <class = void>
inline step scaled_add(graph& g, variable_id a, float scale, variable_id b) {
  impl::check_elements(g, "scaled_add", {{b, g[a].elements()}});
  const arranged right = arrange_like(g, b, a);
  const codelet code = with_real(g[a].type(), [&](auto sum) {
    return with_real(g[b].type(), [&](auto more) { return impl::scaled_add_codelet<decltype(sum), decltype(more)>(scale); });
  });
  return sequence(right.bring, on_each_tile(g, "scaled add", code, a, {whole(a), whole(right.variable)}));
}

/// out[row, :] = in[row, :] + bias, `out` of rows as long as `bias`. The bias is given to each tile that holds part of
/// a row.
template <class = void>
inline step add_to_rows(graph& g, variable_id in, variable_id bias, variable_id out) {
  const std::size_t width = g[bias].elements();
  throw_if(impl::verify_sizes("add_to_rows", {{"elements of the bias", width}}));
  throw_if(impl::verify_multiple("add_to_rows", {"elements of the result", g[out].elements()}, {"of the bias", width}));
  light_vector<copy_piece> pieces;
  for (const mapped_interval& i : g[out].map()) {
    for (std::size_t e = i.begin; e < i.end;) {
      const std::size_t length = algorithms::min(i.end - e, width - e % width);
      pieces.push_back({.from = {.begin = e % width}, .to = {.begin = e}, .length = length});
      e += length;
    }
  }
  const arranged spread = arrange(g, bias, "bias", g[out].map(), std::move(pieces));
  return sequence(spread.bring, apply(g, binary::add, in, spread.variable, out));
}

}  // namespace ipuflow::ipu
