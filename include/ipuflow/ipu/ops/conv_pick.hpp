// SPDX-License-Identifier: BSL-1.0
// Pixels of an image that a strided convolution of one tap reads: picked out where the image is, so that only these are exchanged,
// and gradients of them put back among zeros. The smaller image has its pixels on the tiles that they came from.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/graph.hpp>

#include <cstddef>
#include <string_view>
#include <span>
#include <utility>

namespace ipuflow::ipu::impl {

/// Planes of `rows` x `columns` of which every `stride`-th row and column is picked.
struct picked_planes {
  std::size_t rows = 0, columns = 0, stride = 1;

  constexpr picked_planes(const conv_shape& s) : rows{s.rows}, columns{s.columns}, stride{s.stride} {}

  constexpr bool has(std::size_t element) const {
    return element / columns % rows % stride == 0 && element % columns % stride == 0;
  }
  /// Of the elements before this one.
  constexpr std::size_t before(std::size_t element) const {
    const std::size_t each = divided_up(columns, stride);
    const std::size_t row = element / columns % rows, column = element % columns;
    return (element / columns / rows * divided_up(rows, stride) + divided_up(row, stride)) * each +
           (row % stride == 0 ? divided_up(column, stride) : 0);
  }
};

template <class = void>
[[nodiscard]] inline mapping picked_map(const picked_planes& planes, const mapping& all) {
  mapping made;
  for (const mapped_interval& i : all) {
    const mapped_interval few{planes.before(i.begin), planes.before(i.end), i.tile};
    if (few.begin < few.end) made.push_back(few);
  }
  return made;
}

/// The intervals of a tile, as a part of those of all tiles.
struct tile_intervals {
  std::size_t first = 0, count = 0;
};

/// A compute set of `code(intervals)` on every tile of `image`, for its intervals sorted by tile, with both images.
template <class Code>
step on_picked(graph& g, std::string_view name, variable_id image, variable_id picked, bool out, Code&& code) {
  mapping sorted = g[image].map();
  algorithms::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.tile != b.tile ? a.tile < b.tile : a.begin < b.begin; });
  light_vector<tile_vertex<tile_intervals>> vertices;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (!out && g[picked].held(sorted[i].tile) == 0) continue;
    if (vertices.empty() || vertices.back().tile != sorted[i].tile) vertices.push_back({sorted[i].tile, {i, 0}});
    ++vertices.back().field.count;
  }
  const compute_set_id set = g.add_compute_set(name);
  add_on_tiles(g, set, code(std::move(sorted)), std::move(vertices),
               out ? light_vector<operand>{whole(picked), whole(image)} : light_vector<operand>{whole(image), whole(picked)});
  return execute(set);
}

/// The picked pixels of `image`, and the step that makes them.
template <class = void>
arranged pick(graph& g, const conv_shape& s, variable_id image) {
  const picked_planes planes{s};
  const element_type type = g[image].type();
  mapping map = picked_map(planes, g[image].map());
  const variable_id picked = g.add_temporary(name_from("picked"), type, planes.before(g[image].elements()), std::move(map));
  return {picked, on_picked(g, "pick", image, picked, false, [&](mapping intervals) {
            return with_real(type, [&](auto element) {
              using type_of = decltype(element);
              return codelet(
                  name_from("pick"), elementwise_code,
                  [planes, intervals](const tile_intervals& mine, std::span<const type_of> from, std::span<type_of> to) {
                    std::size_t at = 0, made = 0;
                    for (std::size_t i = mine.first; i < mine.first + mine.count; ++i) {
                      for (std::size_t e = intervals[i].begin; e < intervals[i].end; ++e, ++at) {
                        if (planes.has(e)) to[made++] = from[at];
                      }
                    }
                  },
                  [type](const architecture& chip, lengths n, const tile_intervals&) { return pick_cost(chip, type, n[1], 0); });
            });
          })};
}

/// Pixels that were picked get `picked`, all others zero.
template <class = void>
step put_back(graph& g, const conv_shape& s, variable_id picked, variable_id image) {
  const picked_planes planes{s};
  const element_type type = g[image].type();
  return on_picked(g, "put back", image, picked, true, [&](mapping intervals) {
    return with_real(type, [&](auto element) {
      using type_of = decltype(element);
      return codelet(
          name_from("put back"), elementwise_code,
          [planes, intervals](const tile_intervals& mine, std::span<const type_of> from, std::span<type_of> to) {
            std::size_t at = 0, read = 0;
            for (std::size_t i = mine.first; i < mine.first + mine.count; ++i) {
              for (std::size_t e = intervals[i].begin; e < intervals[i].end; ++e, ++at)
                to[at] = planes.has(e) ? from[read++] : type_of{0.0f};
            }
          },
          [type](const architecture& chip, lengths n, const tile_intervals&) { return pick_cost(chip, type, n[0], n[1]); });
    });
  });
}

}  // namespace ipuflow::ipu::impl
