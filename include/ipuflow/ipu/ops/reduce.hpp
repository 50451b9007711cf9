// SPDX-License-Identifier: BSL-1.0
// Sums, largest and smallest over the middle of three axes: [outer, depth, inner] to [outer, inner]. The depth is cut
// over tiles where there are fewer results than tiles; partial results are then reduced once more. Results of one outer
// index are made where they are wanted if they stand evenly there, so that halves do not cross words on their way.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/operation_fault.hpp>

#include <cstddef>
#include <limits>
#include <utility>

namespace ipuflow::ipu {

enum class reduce_operation : unsigned char { sum, max, min };

/// The sizes of a reduction of [outer, depth, inner] over the middle.
struct reduce_shape {
  std::size_t outer = 1;  ///< before the axis that is reduced
  std::size_t depth = 1;  ///< of the axis that is reduced
  std::size_t inner = 1;  ///< behind it
};

namespace impl {

/// Blocks that hold all of a reduction's tile-level partials: of `results` values `depth` each, one depth after the
/// other.
template <class Element, class Result>
[[nodiscard]] codelet reduce_codelet(reduce_operation op, bool partials_are_half) {
  constexpr float most = std::numeric_limits<float>::infinity();
  return codelet(
      name_from("reduce"), elementwise_code,
      [op](std::span<const Element> in, std::span<Result> out) {
        thread_local light_vector<float> sums;
        thread_local light_vector<float> row;
        sums.assign(out.size(), op == reduce_operation::sum ? 0.0f : (op == reduce_operation::max ? -most : most));
        row.resize(out.size());
        for (std::size_t at = 0; at < in.size(); at += out.size()) {
          widen(in.subspan(at, out.size()), row.data());
          for (std::size_t i = 0; i < out.size(); ++i) {
            if (op == reduce_operation::sum)
              sums[i] += row[i];
            else if (op == reduce_operation::max)
              sums[i] = algorithms::max(sums[i], row[i]);
            else
              sums[i] = algorithms::min(sums[i], row[i]);
          }
        }
        narrow(sums.data(), out);
      },
      [partials_are_half](const architecture& chip, lengths n) {
        const std::size_t depth = n[1] == 0 ? 0 : n[0] / n[1];
        return reduce_cost(chip, partials_are_half ? element_type::f16 : element_type::f32, depth, n[1]);
      });
}

}  // namespace impl

/// The codelet that sums up all that a tile has for its results, one depth after the other.
template <class = void>
[[nodiscard]] inline codelet reduce_codelet(reduce_operation op, element_type from, element_type to) {
  return with_real(from, [&](auto a) {
    return with_real(to, [&](auto b) { return impl::reduce_codelet<decltype(a), decltype(b)>(op, from == element_type::f16); });
  });
}

namespace impl {

/// True if results stand on these tiles in one run on each, none longer than equal parts of whole words would be; of whole
/// vectors, where there are enough.
constexpr bool stands_evenly(const mapping& results, element_type type, std::size_t parts, std::size_t first_tile,
                             std::size_t tiles) {
  const std::size_t each = divided_up(results.back().end, parts), width = vector_width(type);
  const std::size_t grain = each < width ? divided_up(4, size_of(type)) : width, most = divided_up(each, grain) * grain;
  std::size_t next = first_tile;
  return algorithms::all_of(results.begin(), results.end(), [&](const mapped_interval& i) {
    const bool is_next = next <= i.tile && i.tile < first_tile + tiles;
    next = i.tile + 1;
    return is_next && i.end - i.begin <= most;
  });
}

}  // namespace impl

/// in [outer, depth, inner] to out [outer, inner]
template <class = void>
[[nodiscard]] step reduce(graph& g, reduce_operation op, const reduce_shape& s, variable_id in, variable_id out,
                          const plan_options& options = {}) {
  throw_if(impl::verify_sizes("reduce", {{"outer", s.outer}, {"inner", s.inner}}));
  impl::check_elements(g, "reduce", {{in, s.outer * s.depth * s.inner}, {out, s.outer * s.inner}});
  const std::size_t tiles = tiles_for(g, options);
  const std::size_t results = s.outer * s.inner;
  const std::size_t result_parts = algorithms::min(results, tiles);
  // Cutting the depth pays a second exchange, so parts stay long.
  const std::size_t depth_parts = algorithms::max<std::size_t>(1, algorithms::min(tiles / result_parts, s.depth / 16));
  // With one outer index results stand side by side in each depth; with more, what is added up does, and parts follow that.
  const bool in_place = depth_parts == 1 && s.outer == 1 &&
                        impl::stands_evenly(g[out].map(), g[in].type(), result_parts, options.first_tile, tiles);
  const mapping parts = in_place ? g[out].map() : grid(1, results, 1, result_parts, options.first_tile);
  light_vector<tile_block> blocks;
  light_vector<tile_block> partial;
  light_vector<copy_piece> pieces;
  std::size_t at = 0;
  for (std::size_t p = 0; p < depth_parts; ++p) {
    const std::size_t first_depth = impl::part_begin(s.depth, depth_parts, p);
    const std::size_t depth = part_size(s.depth, depth_parts, p);
    for (const mapped_interval& r : parts) {
      const std::size_t count = r.end - r.begin;
      const std::size_t tile = r.tile + p * result_parts;
      for (std::size_t e = r.begin; e < r.end;) {  // results of one outer index at a time
        const std::size_t run = algorithms::min(r.end - e, s.inner - e % s.inner);
        const std::size_t from = (e / s.inner * s.depth + first_depth) * s.inner + e % s.inner;
        pieces.push_back({.from = {.begin = from, .step = s.inner},
                          .to = {.begin = at + (e - r.begin), .step = count},
                          .length = run,
                          .count = depth});
        e += run;
      }
      blocks.push_back({tile, depth * count});
      partial.push_back({tile, count});
      at += depth * count;
    }
  }
  const arranged gathered = arrange(g, in, "reduce in", mapping_of(blocks), std::move(pieces));
  const bool last = depth_parts == 1;
  const element_type type = last ? g[out].type() : element_type::f32;
  const variable_id sums =
      in_place ? out : g.add_temporary(name_from("reduce out"), type, results * depth_parts, mapping_of(partial));
  const step here =
      on_each_tile(g, "reduce", reduce_codelet(op, g[in].type(), type), sums, {whole(gathered.variable), whole(sums)});
  if (in_place) return sequence(gathered.bring, here);
  if (last) return sequence(gathered.bring, here, copy_all(g, sums, out));
  return sequence(gathered.bring, here, reduce(g, op, {1, depth_parts, results}, sums, out, options));
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template step reduce<>(graph&, reduce_operation, const reduce_shape&, variable_id, variable_id, const plan_options&);
#endif

}  // namespace ipuflow::ipu
