// SPDX-License-Identifier: BSL-1.0
// Largest or mean value of windows of images [batch, channels, rows, columns], and the gradients: the mean's is spread
// over the window, the largest's goes to the first place that had it. Whole images of one channel go to a tile.
#pragma once

#include <ipuflow/ipu/conv_plan.hpp>
#include <ipuflow/ipu/elementwise.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

enum class pooling : unsigned char { max, mean };

/// Images of `planes` = batch x channels; windows of `kernel` x `kernel`, each `stride` after the other.
struct pool_shape {
  std::size_t planes = 1;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t kernel = 2;
  std::size_t stride = 2;

  constexpr std::size_t out_rows() const { return (rows - kernel) / stride + 1; }
  constexpr std::size_t out_columns() const { return (columns - kernel) / stride + 1; }
  constexpr std::size_t in_elements() const { return rows * columns; }
  constexpr std::size_t out_elements() const { return out_rows() * out_columns(); }
};

namespace detail {

/// Calls `visit(out place, in place)` for every place of every window of one plane, window by window.
template <class Visit>
void for_each_place(const pool_shape& s, Visit&& visit) {
  for (std::size_t y = 0; y < s.out_rows(); ++y) {
    for (std::size_t x = 0; x < s.out_columns(); ++x) {
      for (std::size_t ky = 0; ky < s.kernel; ++ky) {
        for (std::size_t kx = 0; kx < s.kernel; ++kx) {
          visit(y * s.out_columns() + x, (y * s.stride + ky) * s.columns + x * s.stride + kx);
        }
      }
    }
  }
}

}  // namespace detail

/// Places of windows, a vector a bundle, and an instruction to combine each [loads and arithmetic side by side].
constexpr vertex_cost pool_cost(const architecture& chip, const pool_shape& s, element_type type, std::size_t planes,
                                std::size_t for_each) {
  const std::size_t places = planes * s.out_elements() * s.kernel * s.kernel;
  const std::size_t vectors = divided_up(divided_up(places, vector_width(type)), chip.workers);
  return {30 + for_each * vectors + 3 * divided_up(planes * s.out_elements(), chip.workers),
          chip.supervisor_launch.value, true, places};
}

namespace detail {

/// Planes of `each` elements, mapped whole.
inline mapping planes_on_tiles(std::size_t planes, std::size_t each, std::size_t tiles, std::size_t first) {
  return linear(planes * each, std::min(tiles, planes), first, each);
}

inline arranged in_planes(graph& g, variable_id v, std::size_t planes, const plan_options& options) {
  const std::size_t each = g[v].elements() / planes;
  return arrange(g, v, "planes", planes_on_tiles(planes, each, tiles_for(g, options), options.first_tile),
                 {{{}, 0, {}, 0, g[v].elements()}});
}

inline variable_id temporary_planes(graph& g, variable_id like, std::size_t planes, const plan_options& options) {
  const std::size_t each = g[like].elements() / planes;
  return g.add_temporary(name_from("pooled"), g[like].type(), g[like].elements(),
                         planes_on_tiles(planes, each, tiles_for(g, options), options.first_tile));
}

}  // namespace detail

/// out = pooled in
inline step pool(graph& g, pooling op, const pool_shape& s, variable_id in, variable_id out,
                 const plan_options& options = {}) {
  const arranged x = detail::in_planes(g, in, s.planes, options);
  const variable_id y = detail::temporary_planes(g, out, s.planes, options);
  const element_type type = g[in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("pool"), elementwise_code,
        [op, s](std::span<const type_of> a, std::span<type_of> b) {
          std::vector<float> made(b.size(), op == pooling::max ? -std::numeric_limits<float>::infinity() : 0.0f);
          for (std::size_t p = 0; p * s.in_elements() < a.size(); ++p) {
            detail::for_each_place(s, [&](std::size_t to, std::size_t from) {
              float& m = made[p * s.out_elements() + to];
              const float seen = float{a[p * s.in_elements() + from]};
              m = op == pooling::max ? std::max(m, seen) : m + seen / static_cast<float>(s.kernel * s.kernel);
            });
          }
          narrow(made.data(), b);
        },
        [s, type](const architecture& chip, lengths n) { return pool_cost(chip, s, type, n[0] / s.in_elements(), 2); });
  });
  return sequence(x.bring, on_each_tile(g, "pool", code, y, {whole(x.variable), whole(y)}), copy_all(g, y, out));
}

/// d_in from the input and d_out
inline step pool_gradient(graph& g, pooling op, const pool_shape& s, variable_id in, variable_id d_out,
                          variable_id d_in, const plan_options& options = {}) {
  const arranged x = detail::in_planes(g, in, s.planes, options);
  const arranged dy = detail::in_planes(g, d_out, s.planes, options);
  const variable_id dx = detail::temporary_planes(g, d_in, s.planes, options);
  const element_type type = g[in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("pool gradient"), elementwise_code,
        [op, s](std::span<const type_of> a, std::span<const type_of> slope, std::span<type_of> b) {
          std::vector<float> made(b.size(), 0.0f);
          std::vector<std::size_t> first(s.out_elements());
          for (std::size_t p = 0; p * s.in_elements() < a.size(); ++p) {
            const auto plane = a.subspan(p * s.in_elements(), s.in_elements());
            std::fill(first.begin(), first.end(), plane.size());
            detail::for_each_place(s, [&](std::size_t to, std::size_t from) {
              const float share = float{slope[p * s.out_elements() + to]} / static_cast<float>(s.kernel * s.kernel);
              if (op == pooling::mean)
                made[p * s.in_elements() + from] += share;
              else if (first[to] == plane.size() || float{plane[from]} > float{plane[first[to]]})
                first[to] = from;
            });
            for (std::size_t to = 0; op == pooling::max && to < first.size(); ++to) {
              made[p * s.in_elements() + first[to]] += float{slope[p * s.out_elements() + to]};
            }
          }
          narrow(made.data(), b);
        },
        [s, type](const architecture& chip, lengths n) { return pool_cost(chip, s, type, n[0] / s.in_elements(), 4); });
  });
  const std::vector<operand> operands{whole(x.variable), whole(dy.variable), whole(dx)};
  return sequence(x.bring, dy.bring, on_each_tile(g, "pool gradient", code, dx, operands), copy_all(g, dx, d_in));
}

}  // namespace ipuflow::ipu
