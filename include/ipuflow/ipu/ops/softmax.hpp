// SPDX-License-Identifier: BSL-1.0
// Softmax of rows, and its gradient. A row stays on one tile; its largest value is taken off first, so nothing overflows.
// A loss, which compares the outcome with labels, is no operation of a chip: nn/lowerings/loss_lowering.hpp.
#pragma once

#include <ipuflow/ipu/ops/elementwise.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

inline constexpr bytes softmax_code{
    1560};  // of the vendor's, as a profile of BERT shows: 2,295,839 bytes on 1,472 tiles

/// Largest, difference, exp, sum and quotient of each row, as the elementwise table has them [D].
constexpr vertex_cost softmax_cost(const architecture& chip, element_type type, std::size_t elements) {
  vertex_cost all{.bundles = 0, .supervisor = 0, .all_workers = true};
  for (const vertex_cost& part :
       {binary_cost(chip, binary::max, type, elements), binary_cost(chip, binary::sub, type, elements),
        unary_cost(chip, unary::exp, type, elements), binary_cost(chip, binary::add, type, elements),
        binary_cost(chip, binary::mul, type, elements)}) {
    all.bundles += part.bundles;
    all.supervisor += part.supervisor;
    all.flops += part.flops;
  }
  return all;
}

namespace impl {

template <class = void>
inline void softmax_row(float* row, std::size_t width) {
  const float most = *std::max_element(row, row + width);
  float sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += row[i] = std::exp(row[i] - most);
  for (std::size_t i = 0; i < width; ++i) row[i] /= sum;
}

template <class = void>
inline arranged in_rows(graph& g, variable_id v, std::size_t rows, const plan_options& options) {
  const std::size_t width = g[v].elements() / rows;
  return arrange(g, v, "rows", linear(rows * width, std::min(rows, tiles_for(g, options)), options.first_tile, width),
                 {{.length = g[v].elements()}});
}

}  // namespace impl

/// out[row, :] = softmax of in[row, :], for `rows` rows.
template <class = void>
step softmax(graph& g, std::size_t rows, variable_id in, variable_id out, const plan_options& options = {}) {
  const arranged x = impl::in_rows(g, in, rows, options);
  const std::size_t width = g[in].elements() / rows;
  const variable_id y = g.add_temporary(name_from("softmax"), g[out].type(), g[out].elements(), g[x.variable].map());
  const element_type type = g[in].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("softmax"), softmax_code,
        [width](std::span<const type_of> a, std::span<type_of> b) {
          std::vector<float> row(a.size());
          impl::widen(a, row.data());
          for (std::size_t i = 0; i < row.size(); i += width) impl::softmax_row(row.data() + i, width);
          impl::narrow(row.data(), b);
        },
        [type](const architecture& chip, lengths n) { return softmax_cost(chip, type, n[0]); });
  });
  return sequence(x.bring, on_each_tile(g, "softmax", code, y, {whole(x.variable), whole(y)}), copy_all(g, y, out));
}

/// d_in[row, :] = out * (d_out - sum of out * d_out), the gradient of a softmax from its outcome.
template <class = void>
step softmax_gradient(graph& g, std::size_t rows, variable_id out, variable_id d_out, variable_id d_in,
                      const plan_options& options = {}) {
  const arranged y = impl::in_rows(g, out, rows, options);
  const arranged dy = impl::in_rows(g, d_out, rows, options);
  const std::size_t width = g[out].elements() / rows;
  const variable_id dx =
      g.add_temporary(name_from("softmax gradient"), g[d_in].type(), g[d_in].elements(), g[y.variable].map());
  const element_type type = g[out].type();
  const codelet code = with_real(type, [&](auto element) {
    using type_of = decltype(element);
    return codelet(
        name_from("softmax gradient"), softmax_code,
        [width](std::span<const type_of> a, std::span<const type_of> slope, std::span<type_of> b) {
          for (std::size_t i = 0; i < a.size(); i += width) {
            float sum = 0;
            for (std::size_t k = i; k < i + width; ++k) sum += float{a[k]} * float{slope[k]};
            for (std::size_t k = i; k < i + width; ++k) b[k] = type_of{float{a[k]} * (float{slope[k]} - sum)};
          }
        },
        [type](const architecture& chip, lengths n) {
          vertex_cost cost = binary_cost(chip, binary::mul, type, n[0]);
          cost.bundles *= 4;  // product, sum, difference, product
          cost.flops *= 4;
          return cost;
        });
  });
  const std::vector<operand> operands{whole(y.variable), whole(dy.variable), whole(dx)};
  return sequence(y.bring, dy.bring, on_each_tile(g, "softmax gradient", code, dx, operands), copy_all(g, dx, d_in));
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
extern template step softmax<>(graph&, std::size_t, variable_id, variable_id, const plan_options&);
extern template step softmax_gradient<>(graph&, std::size_t, variable_id, variable_id, variable_id, const plan_options&);
#endif

}  // namespace ipuflow::ipu
