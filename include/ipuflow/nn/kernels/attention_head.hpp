// SPDX-License-Identifier: BSL-1.0
// One head of attention over one sample. Queries are in lanes, so a softmax over keys needs no sum across lanes, and keys and
// values are read as single numbers out of theirs. Scores are kept for one block of queries at a time: backward makes them again,
// so memory grows with the sequence and not with its square.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// A matrix of positions by `Width` features of one sample is [block][feature] lanes, which hold the positions of a block; those
/// behind the last one are zero.
template <class W, std::size_t Positions, std::size_t Width, bool Causal>
struct attention_head {
  static constexpr std::size_t blocks = groups_for(Positions);
  static constexpr std::size_t padded = blocks * lane_count;
  static constexpr std::size_t vectors = blocks * Width;

  /// The number of each position that says which positions it sees: those of the same number. None: it sees all.
  const W* segments = nullptr;

  /// The keys of a block of queries, in whole blocks.
  static constexpr std::size_t seen_blocks(std::size_t block) { return Causal ? block + 1 : blocks; }

  /// out = softmax(q k) v for the queries of a block; `scores` has room for `padded` vectors.
  void forward(const lanes<W>* q, const lanes<W>* k, const lanes<W>* v, std::size_t block, lanes<W>* scores, lanes<W>* out) const {
    const std::size_t seen = seen_blocks(block);
    shares(q + block * Width, k, block, scores);
    mix(v, scores, seen, out + block * Width);
  }

  /// Writes d_q of the block, and adds to d_k and d_v. `scores` and `slopes` have room for `padded` vectors each.
  void backward(const lanes<W>* q, const lanes<W>* k, const lanes<W>* v, const lanes<W>* d_out, std::size_t block, lanes<W>* scores,
                lanes<W>* slopes, lanes<W>* d_q, lanes<W>* d_k, lanes<W>* d_v) const {
    const std::size_t seen = seen_blocks(block);
    shares(q + block * Width, k, block, scores);
    dots(v, d_out + block * Width, seen, slopes);
    lanes<W> mean{};
    for (std::size_t j = 0; j < seen * lane_count; ++j) mean += scores[j] * slopes[j];
    for (std::size_t j = 0; j < seen * lane_count; ++j) slopes[j] = scores[j] * (slopes[j] - mean);
    mix(k, slopes, seen, d_q + block * Width);
    add_turned(d_out + block * Width, scores, seen, d_v);
    add_turned(q + block * Width, slopes, seen, d_k);
  }

 private:
  static constexpr std::size_t features_at_once = algorithms::min(Width, accumulator_count * 2 / 3);
  static constexpr std::size_t features_left = Width % features_at_once;

  /// The numbers of a matrix from a feature of a block on: those of one feature are neighbours.
  static const W* numbers(const lanes<W>* matrix, std::size_t block, std::size_t feature) {
    return reinterpret_cast<const W*>(matrix + block * Width + feature);
  }

  /// The shares of all keys that are seen, for the queries of a block.
  void shares(const lanes<W>* query, const lanes<W>* k, std::size_t block, lanes<W>* scores) const {
    const std::size_t seen = seen_blocks(block);
    dots(k, query, seen, scores);
    hide(block, seen, scores);
    const std::size_t count = seen * lane_count;
    lanes<W> largest = scores[0], other = scores[1];  // two chains: a comparison waits for the one before
    for (std::size_t j = 2; j < count; j += 2) {
      largest = greater(scores[j], largest);
      other = greater(scores[j + 1], other);
    }
    largest = greater(largest, other);
    lanes<W> sum{};
    for (std::size_t j = 0; j < count; ++j) sum += scores[j] = math::exp(scores[j] - largest);
    const lanes<W> scale = lanes<W>::all(number<W>(1)) / sum;
    for (std::size_t j = 0; j < count; ++j) scores[j] = scale * scores[j];
  }

  /// Keys that a query does not see get a score whose share is zero.
  void hide(std::size_t block, std::size_t seen, lanes<W>* scores) const {
    const lanes<W> nothing = lanes<W>::all(number<W>(-1e30));
    for (std::size_t j = Positions; j < seen * lane_count; ++j) scores[j] = nothing;
    if (Causal) {
      lanes<W> query{};
      for (std::size_t l = 0; l < lane_count; ++l) query.set(l, static_cast<W>(l));
      lanes<W>* const diagonal = scores + block * lane_count;
      for (std::size_t j = 1; j < lane_count; ++j) {
        diagonal[j] = where_greater(lanes<W>::all(static_cast<W>(j)), query, nothing, diagonal[j]);
      }
    }
    if (segments == nullptr) return;
    lanes<W> mine;
    std::memcpy(&mine, segments + block * lane_count, sizeof mine);
    for (std::size_t j = 0; j < seen * lane_count && j < Positions; ++j) {
      scores[j] = where_equal(lanes<W>::all(segments[j]), mine, scores[j], nothing);
    }
  }

  /// to[j] = the product of row j of the matrix with each query.
  static void dots(const lanes<W>* matrix, const lanes<W>* query, std::size_t seen, lanes<W>* to) {
    for (std::size_t b = 0; b < seen; ++b) {
      register_block<W, lane_count, 1> sums;
      sums.start(nullptr);
      const W* row = numbers(matrix, b, 0);
      for (std::size_t f = 0; f < Width; ++f, row += lane_count) sums.template multiply_add<1, 1>(row, query + f);
      sums.template store<1, 1>(to + b * lane_count);
    }
  }

  /// to[f] = the sum over rows j of matrix[j][f] * share[j].
  static void mix(const lanes<W>* matrix, const lanes<W>* share, std::size_t seen, lanes<W>* to) {
    for (std::size_t f = 0; f + features_at_once <= Width; f += features_at_once) {
      mix_some<features_at_once>(matrix, share, seen, f, to);
    }
    if constexpr (features_left > 0) mix_some<features_left>(matrix, share, seen, Width - features_left, to);
  }
  template <std::size_t Features>
  static void mix_some(const lanes<W>* matrix, const lanes<W>* share, std::size_t seen, std::size_t feature, lanes<W>* to) {
    register_block<W, Features, 1> sums;
    sums.start(nullptr);
    for (std::size_t b = 0; b < seen; ++b) {
      const W* column = numbers(matrix, b, feature);
      for (std::size_t l = 0; l < lane_count; ++l) {
        sums.template multiply_add<lane_count, 1>(column + l, share + b * lane_count + l);
      }
    }
    sums.template store<1, 1>(to + feature);
  }

  /// to[j][f] += the sum over the queries i of a block of from[i][f] * share[j][i].
  static void add_turned(const lanes<W>* from, const lanes<W>* share, std::size_t seen, lanes<W>* to) {
    for (std::size_t b = 0; b < seen; ++b) {
      lanes<W> turned[lane_count];
      transpose(share + b * lane_count, turned);
      for (std::size_t f = 0; f + features_at_once <= Width; f += features_at_once) {
        add_some<features_at_once>(numbers(from, 0, f), turned, to + b * Width + f);
      }
      if constexpr (features_left > 0) {
        add_some<features_left>(numbers(from, 0, Width - features_left), turned, to + b * Width + Width - features_left);
      }
    }
  }
  template <std::size_t Features>
  static void add_some(const W* column, const lanes<W>* turned, lanes<W>* to) {
    register_block<W, Features, 1> sums;
    sums.template load<1, 1>(to);
    for (std::size_t l = 0; l < lane_count; ++l) sums.template multiply_add<lane_count, 1>(column + l, turned + l);
    sums.template store<1, 1>(to);
  }
};

/// Some features of the positions of a sample of a sequence, as a matrix of a head: samples need not begin at a lane that is the
/// first of its vector.
template <class T, std::size_t Positions, std::size_t Features>
struct sample_rows {
  using wide = wide_number<T>;
  static constexpr std::size_t blocks = groups_for(Positions);

  typename batch<T, shape<>>::lane_type* data;  // of the sequence
  std::size_t sample;

  template <std::size_t Width>
  void load(std::size_t feature, wide scale, lanes<wide>* to) const {
    each_block([&](std::size_t b, std::size_t group, std::size_t shift, std::size_t count) {
      const auto* const first = data + group * Features + feature;
      const bool spills = shift + count > lane_count;
      for (std::size_t f = 0; f < Width; ++f) {
        if (shift == 0 && count == lane_count) {
          to[b * Width + f] = scale * widened(first[f]);
          continue;
        }
        alignas(64) wide both[2 * lane_count]{};
        std::memcpy(both, &widened(first[f]), sizeof(lanes<wide>));
        if (spills) std::memcpy(both + lane_count, &widened(first[Features + f]), sizeof(lanes<wide>));
        for (std::size_t l = shift + count; l < 2 * lane_count; ++l) both[l] = 0;
        lanes<wide> loaded;
        std::memcpy(&loaded, both + shift, sizeof loaded);
        to[b * Width + f] = scale * loaded;
      }
    });
  }

  template <std::size_t Width>
  void store(std::size_t feature, wide scale, const lanes<wide>* from) const {
    each_block([&](std::size_t b, std::size_t group, std::size_t shift, std::size_t count) {
      for (std::size_t f = 0; f < Width; ++f) {
        lanes<T>* const to = data + group * Features + feature + f;
        const lanes<wide> scaled = scale * from[b * Width + f];
        if (shift == 0 && count == lane_count) {
          *to = narrowed(scaled);
          continue;
        }
        const lanes<T> value = narrowed(scaled);
        for (std::size_t l = 0; l < count; ++l) {
          const std::size_t lane = shift + l;
          to[lane / lane_count * Features].set(lane % lane_count, value[l]);
        }
      }
    });
  }

 private:
  /// `visit(block, group of lanes, first lane, positions in the block)`
  template <class Visit>
  void each_block(Visit visit) const {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t row = sample * Positions + b * lane_count;
      visit(b, row / lane_count, row % lane_count, algorithms::min(lane_count, Positions - b * lane_count));
    }
  }
  static lanes<T> narrowed(const lanes<wide>& x) {
    if constexpr (std::is_same_v<T, half>) {
      return {rounded(x)};
    } else {
      return x;
    }
  }
};

/// The lanes behind the last row of a sequence, which no position writes, become zero.
template <class T, std::size_t Positions, std::size_t Features>
void clear_padding(batch<T, shape<Positions, Features>> of) {
  const auto rows = rows_of(of);
  if (rows.samples % lane_count == 0) return;
  lanes<T>* const last = rows.group(rows.groups - 1);
  for (std::size_t f = 0; f < Features; ++f) last[f] = lanes<T>{};
}

}  // namespace impl

}  // namespace ipuflow::nn
