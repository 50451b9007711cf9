// SPDX-License-Identifier: BSL-1.0
// The product of a tile's array, computed on the host: a small matrix product in float. Rows are taken in groups whose
// sums stay in registers; the right matrix is packed into panels of two vectors, which the compiler maps to those of
// the machine.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/half_span.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

inline constexpr std::size_t panel_width = 32;

using lanes [[gnu::vector_size(64)]] = float;

/// As many rows of a [.., k] matrix as there are indices, times one panel [k, 32], added to c [.., 32]. Written out row
/// by row, so that the sums stay in registers.
template <std::size_t... Row>
inline void multiply_rows(std::index_sequence<Row...>, const float* a, std::size_t k, const float* panel, float* c) {
  lanes low[sizeof...(Row)];
  lanes high[sizeof...(Row)];
  ((std::memcpy(&low[Row], c + Row * panel_width, sizeof(lanes)),
    std::memcpy(&high[Row], c + Row * panel_width + 16, sizeof(lanes))),
   ...);
  for (std::size_t i = 0; i < k; ++i) {
    lanes left;
    lanes right;
    std::memcpy(&left, panel + i * panel_width, sizeof left);
    std::memcpy(&right, panel + i * panel_width + 16, sizeof right);
    ((low[Row] += a[Row * k + i] * left, high[Row] += a[Row * k + i] * right), ...);
  }
  ((std::memcpy(c + Row * panel_width, &low[Row], sizeof(lanes)),
    std::memcpy(c + Row * panel_width + 16, &high[Row], sizeof(lanes))),
   ...);
}

template <std::size_t Rows>
inline void multiply_rows(const float* a, std::size_t k, const float* panel, float* c) {
  multiply_rows(std::make_index_sequence<Rows>{}, a, k, panel, c);
}

/// Room that a product needs; kept between products so that nothing is allocated.
struct matrix_scratch {
  light_vector<float> left, right, panel, block;

  template <class = void>
  [[nodiscard]] static float* of(light_vector<float>& room, std::size_t size) {
    if (room.size() < size) room.resize(size);
    return room.data();
  }
};

struct matrix_shape {
  std::size_t m = 0;
  std::size_t k = 0;
  std::size_t n = 0;
  bool left_transposed = false;   // given as [k, m]
  bool right_transposed = false;  // given as [n, k]
  std::size_t left_panel = 0;     // columns of a panel, of the matrix as it is given; none: it is stored row by row
  std::size_t right_panel = 0;
  std::size_t out_panel = 0;
  bool in_squares = false;  // the squares of both matrices are turned round, each in its place in its panel

  friend constexpr bool operator==(const matrix_shape&, const matrix_shape&) = default;
};

/// Rows become columns.
template <class = void>
inline void transpose(const float* from, std::size_t rows, std::size_t columns, float* to) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  }
}

/// Calls `visit(begin in panels, begin in rows, count)` for each run of a matrix of panels.
template <class Visit>
void for_each_panel_row(std::size_t rows, std::size_t columns, std::size_t panel, Visit&& visit) {
  for (std::size_t c = 0, at = 0; c < columns; c += panel) {
    const std::size_t width = columns - c < panel ? columns - c : panel;
    for (std::size_t r = 0; r < rows; ++r, at += width) visit(at, r * columns + c, width);
  }
}

/// Squares of `side` turned back in their places.
template <class = void>
inline void turn_squares_back(float* given, std::size_t size, std::size_t side) {
  for (float* square = given; square < given + size; square += side * side) {
    for (std::size_t r = 0; r < side; ++r) {
      for (std::size_t c = 0; c < r; ++c) std::swap(square[r * side + c], square[c * side + r]);
    }
  }
}

/// The matrix row by row, behind where it is if it has to be rearranged.
template <class = void>
inline float* row_by_row(float* given, std::size_t rows, std::size_t columns, std::size_t panel) {
  if (panel == 0 || panel >= columns) return given;
  float* const made = given + rows * columns;
  for_each_panel_row(rows, columns, panel, [&](std::size_t at, std::size_t to, std::size_t width) {
    std::memcpy(made + to, given + at, width * sizeof(float));
  });
  return made;
}

/// Columns [first, first + panel_width) of a [k, n] matrix, missing ones as zero.
template <class = void>
inline void pack(const float* right, std::size_t k, std::size_t n, std::size_t first, float* panel) {
  const std::size_t width = n - first < panel_width ? n - first : panel_width;
  for (std::size_t i = 0; i < k; ++i) {
    std::memcpy(panel + i * panel_width, right + i * n + first, width * sizeof(float));
    for (std::size_t l = width; l < panel_width; ++l) panel[i * panel_width + l] = 0;
  }
}

/// out [m, n] += left [m, k] x right [k, n], in float.
template <class = void>
inline void multiply_add(const matrix_shape& s, const float* left, const float* right, float* out,
                         matrix_scratch& scratch) {
  float* panel = matrix_scratch::of(scratch.panel, s.k * panel_width);
  float* block = matrix_scratch::of(scratch.block, s.m * panel_width);
  for (std::size_t first = 0; first < s.n; first += panel_width) {
    const std::size_t width = s.n - first < panel_width ? s.n - first : panel_width;
    pack(right, s.k, s.n, first, panel);
    std::memset(block, 0, s.m * panel_width * sizeof(float));
    for (std::size_t row = 0; row < s.m;) {
      const float* rows = left + row * s.k;
      float* sums = block + row * panel_width;
      const std::size_t step = s.m - row >= 8 ? 8 : (s.m - row >= 4 ? 4 : 1);
      if (step == 8)
        multiply_rows<8>(rows, s.k, panel, sums);
      else if (step == 4)
        multiply_rows<4>(rows, s.k, panel, sums);
      else
        multiply_rows<1>(rows, s.k, panel, sums);
      row += step;
    }
    for (std::size_t r = 0; r < s.m; ++r) {
      for (std::size_t l = 0; l < width; ++l) out[r * s.n + first + l] += block[r * panel_width + l];
    }
  }
}

/// out = left x right with operands of any type, summed in float and rounded once; `adds`: to what is there.
template <class Element, class Sum>
void multiply(const matrix_shape& s, std::span<const Element> left, std::span<const Element> right, std::span<Sum> out,
              matrix_scratch& scratch, bool adds = false) {
  float* a = matrix_scratch::of(scratch.left, 3 * s.m * s.k);
  float* b = matrix_scratch::of(scratch.right, 3 * s.k * s.n);
  widen(left, a);
  widen(right, b);
  if (s.in_squares) turn_squares_back(a, s.m * s.k, s.left_panel), turn_squares_back(b, s.k * s.n, s.right_panel);
  a = s.left_transposed ? row_by_row(a, s.k, s.m, s.left_panel) : row_by_row(a, s.m, s.k, s.left_panel);
  b = s.right_transposed ? row_by_row(b, s.n, s.k, s.right_panel) : row_by_row(b, s.k, s.n, s.right_panel);
  if (s.left_transposed) {
    transpose(a, s.k, s.m, a + s.m * s.k);
    a += s.m * s.k;
  }
  if (s.right_transposed) {
    transpose(b, s.n, s.k, b + s.k * s.n);
    b += s.k * s.n;
  }
  light_vector<float> sums(s.m * s.n, 0.0f);
  multiply_add(s, a, b, sums.data(), scratch);
  if (s.out_panel != 0 && s.out_panel < s.n) {
    light_vector<float> panels(sums.size());
    for_each_panel_row(s.m, s.n, s.out_panel, [&](std::size_t at, std::size_t from, std::size_t width) {
      std::memcpy(panels.data() + at, sums.data() + from, width * sizeof(float));
    });
    sums = std::move(panels);
  }
  for (std::size_t i = 0; adds && i < out.size(); ++i) sums[i] += static_cast<float>(out[i]);
  narrow(sums.data(), out);
}

}  // namespace impl

}  // namespace ipuflow::ipu
