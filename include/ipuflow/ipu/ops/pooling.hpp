// SPDX-License-Identifier: BSL-1.0
// Largest or mean value of windows of images [batch, channels, rows, columns], and the gradients: the mean's is spread
// over the window, the largest's goes to the first place that had it. Whole images of one channel go to a tile.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace ipuflow::ipu {

enum class pooling : unsigned char { max, mean };

/// Images of `planes` = batch x channels, with `padding` around them; windows of `kernel` x `kernel`, each `stride`
/// after the other. Padding is never the largest; in a mean it counts as zeros.
struct pool_shape {
  std::size_t planes = 1;   ///< batch x channels
  std::size_t rows = 0;     ///< of a plane
  std::size_t columns = 0;  ///< of a plane
  std::size_t kernel = 2;   ///< rows and columns of the window
  std::size_t stride = 2;   ///< pixels from window to window, both ways
  std::size_t padding = 0;  ///< pixels on each side, both ways

  constexpr std::size_t out_rows() const { return (rows + 2 * padding - kernel) / stride + 1; }
  constexpr std::size_t out_columns() const { return (columns + 2 * padding - kernel) / stride + 1; }
  constexpr std::size_t in_elements() const { return rows * columns; }
  constexpr std::size_t out_elements() const { return out_rows() * out_columns(); }
};

namespace impl {

/// Calls `visit(out place, in place)` for every place of every window of one plane, window by window.
template <class Visit>
void for_each_place(const pool_shape& s, Visit&& visit) {
  const auto inside = [&](std::size_t at, std::size_t extent) {  // what of a window is not padding
    const std::size_t begin = at * s.stride;
    return light_pair{begin < s.padding ? s.padding - begin : 0, algorithms::min(s.kernel, extent + s.padding - begin)};
  };
  for (std::size_t y = 0; y < s.out_rows(); ++y) {
    const auto [top, bottom] = inside(y, s.rows);
    for (std::size_t x = 0; x < s.out_columns(); ++x) {
      const auto [left, right] = inside(x, s.columns);
      for (std::size_t ky = top; ky < bottom; ++ky) {
        for (std::size_t kx = left; kx < right; ++kx) {
          visit(y * s.out_columns() + x, (y * s.stride + ky - s.padding) * s.columns + x * s.stride + kx - s.padding);
        }
      }
    }
  }
}

/// Places of windows, a vector a bundle, and an instruction to combine each [D: loads and arithmetic side by side].
constexpr vertex_cost pool_cost(const architecture& chip, const pool_shape& s, element_type type, std::size_t planes,
                                std::size_t for_each) {
  const std::size_t places = planes * s.out_elements() * s.kernel * s.kernel;
  const std::size_t vectors = divided_up(divided_up(places, vector_width(type)), chip.workers);
  return {30 + for_each * vectors + 3 * divided_up(planes * s.out_elements(), chip.workers),
          chip.supervisor_launch.value, true, places};
}

/// Planes of `each` elements, mapped whole.
template <class = void>
inline mapping planes_on_tiles(std::size_t planes, std::size_t each, std::size_t tiles, std::size_t first) {
  return linear(planes * each, algorithms::min(tiles, planes), first, each);
}

template <class = void>
inline arranged in_planes(graph& g, variable_id v, std::size_t planes, const plan_options& options) {
  const std::size_t each = g[v].elements() / planes;
  return arrange(g, v, "planes", planes_on_tiles(planes, each, tiles_for(g, options), options.first_tile),
                 {{.length = g[v].elements()}});
}

template <class = void>
inline variable_id temporary_planes(graph& g, variable_id like, std::size_t planes, const plan_options& options) {
  const std::size_t each = g[like].elements() / planes;
  return g.add_temporary(name_from("pooled"), g[like].type(), g[like].elements(),
                         planes_on_tiles(planes, each, tiles_for(g, options), options.first_tile));
}

/// Every window holds a pixel of its image.
template <class = void>
constexpr operation_fault verify_pool(operation_name of, const pool_shape& s) {
  const operation_fault found = verify_sizes(of, {{"planes", s.planes}, {"rows", s.rows}, {"columns", s.columns},
                                                  {"kernel", s.kernel}, {"stride", s.stride}});
  if (found) return found;
  if (s.padding > s.kernel / 2)
    return {operation_wrong::wide_padding, s.padding, s.kernel, {.operation = fixed_string<32>{of}}};
  if (const auto high = verify_window(of, {"rows", s.kernel}, s.rows, s.padding)) return high;
  return verify_window(of, {"columns", s.kernel}, s.columns, s.padding);
}

}  // namespace impl

/// out = pooled in
template <class = void>
step pool(graph& g, pooling op, const pool_shape& s, variable_id in, variable_id out,
          const plan_options& options = {}) {
  throw_if(impl::verify_pool("pool", s));
  impl::check_elements(g, "pool", {{in, s.planes * s.in_elements()}, {out, s.planes * s.out_elements()}});
  const arranged x = impl::in_planes(g, in, s.planes, options);
  const variable_id y = impl::temporary_planes(g, out, s.planes, options);
  const element_type type = g[in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("pool"), elementwise_code,
        [op, s](std::span<const type_of> a, std::span<type_of> b) {
          light_vector<float> made(b.size(), op == pooling::max ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
          for (std::size_t p = 0; p * s.in_elements() < a.size(); ++p) {
            impl::for_each_place(s, [&](std::size_t to, std::size_t from) {
              float& m = made[p * s.out_elements() + to];
              const float seen = float{a[p * s.in_elements() + from]};
              if (op == pooling::mean) {
                m += seen / static_cast<float>(s.kernel * s.kernel);
              } else if (seen > m || m != m) {  // a number is larger than none
                m = seen;
              }
            });
          }
          impl::narrow(made.data(), b);
        },
        [s, type](const architecture& chip, lengths n) { return impl::pool_cost(chip, s, type, n[0] / s.in_elements(), 2); });
  });
  return sequence(x.bring, on_each_tile(g, "pool", code, y, {whole(x.variable), whole(y)}), copy_all(g, y, out));
}

namespace impl {

/// The code that the codelets of the gradients share: planes of `made` from planes of `slope`.
template <class Element, class Plane>
void pool_gradient_planes(const pool_shape& s, std::span<const Element> slope, std::span<Element> made, Plane&& plane) {
  light_vector<float> sums(made.size(), 0.0f);
  for (std::size_t p = 0; p * s.in_elements() < made.size(); ++p)
    plane(p, slope.subspan(p * s.out_elements(), s.out_elements()), sums.data() + p * s.in_elements());
  narrow(sums.data(), made);
}

/// Of the mean: a share for each place of a window.
template <class Element>
codelet mean_gradient_codelet(const pool_shape& s) {
  return {name_from("pool gradient"), elementwise_code,
          [s](std::span<const Element> slope, std::span<Element> made) {
            pool_gradient_planes(s, slope, made, [&](std::size_t, std::span<const Element> dy, float* dx) {
              const auto count = static_cast<float>(s.kernel * s.kernel);
              for_each_place(s, [&](std::size_t to, std::size_t from) { dx[from] += float{dy[to]} / count; });
            });
          },
          [s](const architecture& chip, lengths n) {
            return pool_cost(chip, s, element_type_of<Element>(), n[1] / s.in_elements(), 2);
          }};
}

/// Of the largest: all to the first place that had it, or to none, where there is no number.
template <class Element>
codelet max_gradient_codelet(const pool_shape& s) {
  return {name_from("pool gradient"), elementwise_code,
          [s](std::span<const Element> in, std::span<const Element> slope, std::span<Element> made) {
            light_vector<std::size_t> first(s.out_elements());
            const auto is_none = [](Element number) { return float{number} != float{number}; };
            pool_gradient_planes(s, slope, made, [&](std::size_t p, std::span<const Element> dy, float* dx) {
              const std::span<const Element> x = in.subspan(p * s.in_elements(), s.in_elements());
              algorithms::fill(first.begin(), first.end(), x.size());
              for_each_place(s, [&](std::size_t to, std::size_t from) {
                if (first[to] == x.size() || float{x[from]} > float{x[first[to]]} || is_none(x[first[to]])) first[to] = from;
              });
              for (std::size_t to = 0; to < first.size(); ++to) dx[first[to]] += is_none(x[first[to]]) ? 0 : float{dy[to]};
            });
          },
          [s](const architecture& chip, lengths n) {
            return pool_cost(chip, s, element_type_of<Element>(), n[0] / s.in_elements(), 4);
          }};
}

}  // namespace impl

/// d_in from d_out and, of the largest, the input; the mean's gradient does not read it.
template <class = void>
step pool_gradient(graph& g, pooling op, const pool_shape& s, variable_id in, variable_id d_out,
                   variable_id d_in, const plan_options& options = {}) {
  throw_if(impl::verify_pool("pool_gradient", s));
  impl::check_elements(g, "pool_gradient", {{d_out, s.planes * s.out_elements()}, {d_in, s.planes * s.in_elements()}});
  if (op == pooling::max) impl::check_elements(g, "pool_gradient", {{in, s.planes * s.in_elements()}});
  const arranged dy = impl::in_planes(g, d_out, s.planes, options);
  const variable_id dx = impl::temporary_planes(g, d_in, s.planes, options);
  light_vector<operand> operands{whole(dy.variable), whole(dx)};
  step bring;
  if (op == pooling::max) {
    const arranged x = impl::in_planes(g, in, s.planes, options);
    bring = x.bring;
    operands.insert(operands.begin(), whole(x.variable));
  }
  const codelet code = with_real(g[d_in].type(), [&](auto element) {
    using type_of = decltype(element);
    return op == pooling::max ? impl::max_gradient_codelet<type_of>(s) : impl::mean_gradient_codelet<type_of>(s);
  });
  return sequence(bring, dy.bring, on_each_tile(g, "pool gradient", code, dx, operands), copy_all(g, dx, d_in));
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
extern template step pool<>(graph&, pooling, const pool_shape&, variable_id, variable_id, const plan_options&);
extern template step pool_gradient<>(graph&, pooling, const pool_shape&, variable_id, variable_id, variable_id,
                                     const plan_options&);
#endif

}  // namespace ipuflow::ipu
