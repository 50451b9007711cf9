// SPDX-License-Identifier: BSL-1.0
// The codelets of work on rows: numbers of each row from its part on a tile, partial numbers put together, and passes over
// elements with the number of their row. The field of a vertex is its place in a table of the parts of each tile.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/row_parts.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace ipuflow::ipu {

/// The number that is made of the elements of a row: a sum; the largest; the mean, and the sum of squares of what is off it.
enum class row_reduction : unsigned char { sum, max, moments };

/// The number of a row among `each` of them.
struct row_number_place {
  std::size_t each = 1;
  std::size_t which = 0;
};

/// Calls `visit(part, place of its first element on the tile)` for each part.
template <class Visit>
void each_part(const tile_rows& t, Visit&& visit) {
  std::size_t at = 0;
  for (const row_part& p : t.parts) {
    visit(p, at);
    at += p.length;
  }
}

/// Adds term(place of an element on the tile, slot of its row) to the number of that row, from 0 on.
template <class Term>
void add_up_rows(const tile_rows& t, const row_order& order, std::span<float> out, row_number_place place, Term term) {
  for (std::size_t s = 0; s < t.slots; ++s) out[s * place.each + place.which] = 0;
  each_part(t, [&](const row_part& p, std::size_t at) {
    float* const number = out.data() + p.slot * place.each + place.which;
    if (order.by_columns()) {
      for (std::size_t i = 0; i < p.length; ++i) number[i * place.each] += term(at + i, p.slot + i);
    } else {
      float sum = 0;
      for (std::size_t i = 0; i < p.length; ++i) sum += term(at + i, p.slot);
      *number += sum;
    }
  });
}

/// Gives each element of a tile the number of its row.
template <class Number>
void spread_over_elements(const tile_rows& t, const row_order& order, std::span<const Number> numbers, row_number_place place, float* to) {
  each_part(t, [&](const row_part& p, std::size_t at) {
    for (std::size_t i = 0; i < p.length; ++i) to[at + i] = float{numbers[(p.slot + (order.by_columns() ? i : 0)) * place.each + place.which]};
  });
}

namespace impl {

using shared_rows = shared<const rows_on_tiles>;

template <class E>
void largest_of_rows(const tile_rows& t, const row_order& order, std::span<const E> x, std::span<float> out) {
  algorithms::fill(out.begin(), out.end(), -std::numeric_limits<float>::infinity());
  each_part(t, [&](const row_part& p, std::size_t at) {
    for (std::size_t i = 0; i < p.length; ++i) {
      float& most = out[p.slot + (order.by_columns() ? i : 0)];
      most = algorithms::max(most, float{x[at + i]});
    }
  });
}

/// The mean first, then squares: as exact as if the whole row were here.
template <class E>
void moments_of_rows(const tile_rows& t, const row_order& order, std::span<const E> x, std::span<float> out, float scale) {
  thread_local light_vector<float> counts;
  counts.assign(t.slots, 0);
  for (const row_part& p : t.parts) {
    if (!order.by_columns()) counts[p.slot] += static_cast<float>(p.length);
    for (std::size_t i = 0; order.by_columns() && i < p.length; ++i) counts[p.slot + i] += 1;
  }
  add_up_rows(t, order, out, {2, 0}, [&](std::size_t i, std::size_t) { return float{x[i]}; });
  for (std::size_t s = 0; s < t.slots; ++s) out[2 * s] /= counts[s];
  add_up_rows(t, order, out, {2, 1}, [&](std::size_t i, std::size_t slot) {
    const float off = float{x[i]} - out[2 * slot];
    return off * off;
  });
  for (std::size_t s = 0; s < t.slots; ++s) out[2 * s + 1] *= scale;
}

template <class E>
codelet row_reduce_codelet(shared_rows tiles, row_order order, row_reduction op, float scale) {
  const auto run = [tiles, order, op, scale](std::uint32_t number, std::span<const E> x, std::span<float> out) {
    const tile_rows& t = (*tiles)[number];
    if (op == row_reduction::moments) return moments_of_rows(t, order, x, out, scale);
    if (op == row_reduction::max)
      largest_of_rows(t, order, x, out);
    else
      add_up_rows(t, order, out, {}, [&](std::size_t i, std::size_t) { return float{x[i]}; });
    for (float& y : out) y *= scale;
  };
  const auto cost = [tiles, order, op](const architecture& chip, lengths, std::uint32_t number) {
    vertex_cost made = row_reduce_cost(chip, element_type_of<E>(), (*tiles)[number], order);
    if (op != row_reduction::moments) return made;
    made.bundles *= 2;  // the mean, then the squares
    made.supervisor *= 2;
    made.flops *= 3;
    return made;
  };
  const char* const name = op == row_reduction::sum ? "row sum" : op == row_reduction::max ? "row max" : "row moments";
  return {name_from(name), op == row_reduction::moments ? elementwise_code * 2 : elementwise_code, run, cost};
}

/// Costs a product and the sum behind it.
template <class E>
codelet row_products_codelet(shared_rows tiles, row_order order, float scale) {
  const auto run = [tiles, order, scale](std::uint32_t number, std::span<const E> a, std::span<const E> b, std::span<float> out) {
    add_up_rows((*tiles)[number], order, out, {}, [&](std::size_t i, std::size_t) { return float{a[i]} * float{b[i]}; });
    for (float& y : out) y *= scale;
  };
  const auto cost = [tiles, order](const architecture& chip, lengths n, std::uint32_t number) {
    const vertex_cost sum = row_reduce_cost(chip, element_type_of<E>(), (*tiles)[number], order);
    vertex_cost made = binary_cost(chip, binary::mul, element_type_of<E>(), n[0]);
    made.bundles += sum.bundles;
    made.supervisor += sum.supervisor;
    made.flops += sum.flops;
    return made;
  };
  return {name_from("row products"), elementwise_code * 2, run, cost};
}

/// Partial numbers of rows that follow each other, each of `count` elements.
struct total_run {
  std::uint32_t row = 0;
  std::uint32_t rows = 0;
  std::uint32_t count = 0;
};

/// Means and squares of two parts of a row as those of both (Chan, Golub and LeVeque).
template <class = void>
void add_moments(float* sum, float count, const float* more, float count_of_more) {
  const float all = count + count_of_more;
  if (all == 0) return;
  const float apart = more[0] - sum[0];
  sum[0] += apart * (count_of_more / all);
  sum[1] += more[1] + apart * apart * (count * count_of_more / all);
}

template <class = void>
codelet row_totals_codelet(shared<const light_vector<light_vector<total_run>>> runs, row_reduction op, std::size_t each, float scale) {
  const auto run = [runs, op, each, scale](std::uint32_t number, std::span<const float> in, std::span<float> out) {
    thread_local light_vector<float> counts;
    counts.assign(out.size() / each, 0);
    algorithms::fill(out.begin(), out.end(), op == row_reduction::max ? -std::numeric_limits<float>::infinity() : 0.0f);
    const float* from = in.data();
    for (const total_run& r : (*runs)[number]) {
      float* to = out.data() + r.row * each;
      for (std::size_t i = 0; i < r.rows * each; ++i) {
        if (op == row_reduction::sum) to[i] += from[i];
        if (op == row_reduction::max) to[i] = algorithms::max(to[i], from[i]);
      }
      for (std::size_t i = 0; op == row_reduction::moments && i < r.rows; ++i) {
        add_moments(to + 2 * i, counts[r.row + i], from + 2 * i, static_cast<float>(r.count));
        counts[r.row + i] += static_cast<float>(r.count);
      }
      from += r.rows * each;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (op == row_reduction::sum || (op == row_reduction::moments && i % 2 == 1)) out[i] *= scale;
    }
  };
  const auto cost = [](const architecture& chip, lengths n) {
    return reduce_cost(chip, element_type::f32, n[1] == 0 ? 0 : divided_up(n[0], n[1]), n[1]);
  };
  return {name_from("row totals"), elementwise_code, run, cost};
}

/// y[i] = op(x[i], number of its row), in float.
template <class E, class Number>
void pass_over_rows(const tile_rows& t, const row_order& order, const binary& op, row_number_place place, std::span<const E> x, std::span<const Number> numbers,
                    std::span<E> y) {
  thread_local light_vector<float> left, right;
  left.resize(x.size());
  right.resize(x.size());
  widen(x, left.data());
  spread_over_elements(t, order, numbers, place, right.data());
  op.values(left.data(), right.data(), left.data(), x.size());
  narrow(left.data(), y);
}

/// A codelet for rows in one piece, and one by columns, as poplibs has them.
template <class = void>
name_text name_of_pass(const binary& op, const row_order& order) {
  name_text name{order.by_columns() ? std::string_view{"column "} : std::string_view{"row "}};
  name += op.name;
  return name;
}

template <class E, class Number>
codelet row_pass_codelet(shared_rows tiles, row_order order, const binary& op, row_number_place place) {
  return {name_of_pass(op, order), elementwise_code,
          [tiles, order, op, place](std::uint32_t number, std::span<const E> x, std::span<const Number> numbers, std::span<E> y) {
            pass_over_rows((*tiles)[number], order, op, place, x, numbers, y);
          },
          [tiles, order](const architecture& chip, lengths, std::uint32_t number) { return row_pass_cost(chip, element_type_of<E>(), (*tiles)[number], order); }};
}

/// The same in place.
template <class E, class Number>
codelet row_change_codelet(shared_rows tiles, row_order order, const binary& op, row_number_place place) {
  return {name_of_pass(op, order), elementwise_code,
          [tiles, order, op, place](std::uint32_t number, inout<E> x, std::span<const Number> numbers) {
            pass_over_rows((*tiles)[number], order, op, place, std::span<const E>{x}, numbers, std::span<E>{x});
          },
          [tiles, order](const architecture& chip, lengths, std::uint32_t number) { return row_pass_cost(chip, element_type_of<E>(), (*tiles)[number], order); }};
}

}  // namespace impl

}  // namespace ipuflow::ipu
