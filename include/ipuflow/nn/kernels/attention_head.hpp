// SPDX-License-Identifier: BSL-1.0
// One head of attention over one sample. Queries are in lanes, so a softmax over keys needs no sum across lanes, and keys and
// values are read as single numbers out of theirs. Scores are kept for one block of queries at a time: backward makes them again,
// so memory grows with the sequence and not with its square.
#pragma once

#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// Halves are multiplied as floats.
template <class T>
using wide_number = std::conditional_t<std::is_same_v<std::remove_const_t<T>, half>, float, std::remove_const_t<T>>;

template <class T>
[[gnu::always_inline]] inline const lanes<wide_number<T>>& widened(const lanes<T>& x) {
  if constexpr (std::is_same_v<T, half>) {
    return x.wide;
  } else {
    return x;
  }
}

/// A matrix of positions by features of one sample: a block is [feature] lanes, which hold its positions, and begins `stride` vectors
/// behind the one before. Lanes behind the last position are zero.
template <class V>
struct position_blocks {
  V* first = nullptr;
  std::size_t stride = 0;

  V* operator[](std::size_t block) const { return first + block * stride; }
};

template <class W, std::size_t Positions, std::size_t Width, bool Causal>
struct attention_head {
  using reading = position_blocks<const lanes<W>>;
  using writing = position_blocks<lanes<W>>;
  static constexpr std::size_t blocks = groups_for(Positions);
  static constexpr std::size_t padded = blocks * lane_count;
  static constexpr std::size_t vectors = blocks * Width;

  /// The number of each position that says which positions it sees: those of the same number. None: it sees all.
  const W* segments = nullptr;
  /// Products of queries and keys are multiplied by it.
  W scale = number<W>(1);

  /// The keys of a block of queries, in whole blocks.
  static constexpr std::size_t seen_blocks(std::size_t block) { return Causal ? block + 1 : blocks; }

  /// out = softmax(scale q k) v for the queries of a block; `scores` has room for `padded` vectors.
  void forward(reading q, reading k, reading v, std::size_t block, lanes<W>* scores, writing out) const {
    lanes<W> query[Width];
    scaled(q[block], query);
    shares(query, k, block, scores);
    mix(v, scores, seen_blocks(block), out[block]);
  }

  /// No gradient yet, of the keys and values of a block.
  static void start(std::size_t block, writing d_k, writing d_v) {
    for (std::size_t f = 0; f < Width; ++f) d_k[block][f] = d_v[block][f] = lanes<W>{};
  }

  /// Writes d_q of the block, and adds to d_k and d_v. `scores` and `slopes` have room for `padded` vectors each.
  void backward(reading q, reading k, reading v, reading d_out, std::size_t block, lanes<W>* scores, lanes<W>* slopes, writing d_q,
                writing d_k, writing d_v) const {
    const std::size_t seen = seen_blocks(block);
    lanes<W> query[Width];
    scaled(q[block], query);
    shares(query, k, block, scores);
    dots(v, d_out[block], seen, slopes);
    lanes<W> mean{};
    for (std::size_t j = 0; j < seen * lane_count; ++j) mean += scores[j] * slopes[j];
    for (std::size_t j = 0; j < seen * lane_count; ++j) slopes[j] = scores[j] * (slopes[j] - mean);
    mix(k, slopes, seen, d_q[block]);
    scaled(d_q[block], d_q[block]);
    add_turned(d_out[block], scores, seen, d_v);
    add_turned(query, slopes, seen, d_k);
  }

 private:
  static constexpr std::size_t features_at_once = std::min(Width, accumulator_count * 2 / 3);
  static constexpr std::size_t features_left = Width % features_at_once;

  /// The numbers of vectors: those of one feature are neighbours.
  static const W* numbers(const lanes<W>* vectors) { return reinterpret_cast<const W*>(vectors); }

  void scaled(const lanes<W>* from, lanes<W>* to) const {
    for (std::size_t f = 0; f < Width; ++f) to[f] = scale * from[f];
  }

  /// The shares of all keys that are seen, for the queries of a block.
  void shares(const lanes<W>* query, reading k, std::size_t block, lanes<W>* scores) const {
    const std::size_t seen = seen_blocks(block);
    dots(k, query, seen, scores);
    hide(block, seen, scores);
    const std::size_t count = seen * lane_count;
    lanes<W> largest = scores[0];
    for (std::size_t j = 1; j < count; ++j) largest = greater(scores[j], largest);
    lanes<W> sum{};
    for (std::size_t j = 0; j < count; ++j) sum += scores[j] = math::exp(scores[j] - largest);
    const lanes<W> share = lanes<W>::all(number<W>(1)) / sum;
    for (std::size_t j = 0; j < count; ++j) scores[j] = share * scores[j];
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
  static void dots(reading matrix, const lanes<W>* query, std::size_t seen, lanes<W>* to) {
    for (std::size_t b = 0; b < seen; ++b) {
      register_block<W, lane_count, 1> sums;
      sums.start(nullptr);
      const W* row = numbers(matrix[b]);
      for (std::size_t f = 0; f < Width; ++f, row += lane_count) sums.template multiply_add<1, 1>(row, query + f);
      sums.template store<1, 1>(to + b * lane_count);
    }
  }

  /// to[f] = the sum over rows j of matrix[j][f] * share[j].
  static void mix(reading matrix, const lanes<W>* share, std::size_t seen, lanes<W>* to) {
    for (std::size_t f = 0; f + features_at_once <= Width; f += features_at_once) {
      mix_some<features_at_once>(matrix, share, seen, f, to);
    }
    if constexpr (features_left > 0) mix_some<features_left>(matrix, share, seen, Width - features_left, to);
  }
  template <std::size_t Features>
  static void mix_some(reading matrix, const lanes<W>* share, std::size_t seen, std::size_t feature, lanes<W>* to) {
    register_block<W, Features, 1> sums;
    sums.start(nullptr);
    for (std::size_t b = 0; b < seen; ++b) {
      const W* column = numbers(matrix[b] + feature);
      for (std::size_t l = 0; l < lane_count; ++l) {
        sums.template multiply_add<lane_count, 1>(column + l, share + b * lane_count + l);
      }
    }
    sums.template store<1, 1>(to + feature);
  }

  /// to[j][f] += the sum over the queries i of a block of from[i][f] * share[j][i].
  static void add_turned(const lanes<W>* from, const lanes<W>* share, std::size_t seen, writing to) {
    for (std::size_t b = 0; b < seen; ++b) {
      lanes<W> turned[lane_count];
      transpose(share + b * lane_count, turned);
      for (std::size_t f = 0; f + features_at_once <= Width; f += features_at_once) {
        add_some<features_at_once>(numbers(from + f), turned, to[b] + f);
      }
      constexpr std::size_t last = Width - features_left;
      if constexpr (features_left > 0) add_some<features_left>(numbers(from + last), turned, to[b] + last);
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

/// Some features of the positions of a sample of a sequence, as a matrix of a head. They are read and written where they are, unless
/// samples begin within a vector, or are halves.
template <class T, std::size_t Positions, std::size_t Features>
struct sample_rows {
  using wide = wide_number<T>;
  static constexpr std::size_t blocks = groups_for(Positions);
  static constexpr bool in_place = Positions % lane_count == 0 && !std::is_same_v<std::remove_const_t<T>, half>;
  using row_type = typename batch<T, shape<>>::lane_type;

  row_type* data;  // of the sequence
  std::size_t sample;

  /// The features from `feature` on, in `room` where they are not read in place.
  template <std::size_t Width>
  position_blocks<const lanes<wide>> load(std::size_t feature, lanes<wide>* room) const {
    if constexpr (in_place) {
      return {place(feature), Features};
    } else {
      copy<Width>(feature, room);
      return {room, Width};
    }
  }

  /// The place to write features to; `store` brings them from there to the sequence.
  template <std::size_t Width>
  position_blocks<lanes<wide>> open(std::size_t feature, lanes<wide>* room) const {
    if constexpr (in_place) {
      return {place(feature), Features};
    } else {
      return {room, Width};
    }
  }

  template <std::size_t Width>
  void store(std::size_t feature, const lanes<wide>* room) const {
    if constexpr (!in_place) {
      each_block([&](std::size_t b, std::size_t group, std::size_t shift, std::size_t count) {
        for (std::size_t f = 0; f < Width; ++f) {
          const lanes<T> value = narrowed(room[b * Width + f]);
          for (std::size_t l = 0; l < count; ++l) {
            const std::size_t lane = shift + l;
            data[(group + lane / lane_count) * Features + feature + f].set(lane % lane_count, value[l]);
          }
        }
      });
    }
  }

 private:
  row_type* place(std::size_t feature) const { return data + sample * blocks * Features + feature; }

  template <std::size_t Width>
  void copy(std::size_t feature, lanes<wide>* to) const {
    each_block([&](std::size_t b, std::size_t group, std::size_t shift, std::size_t count) {
      const auto* const first = data + group * Features + feature;
      const bool spills = shift + count > lane_count;
      for (std::size_t f = 0; f < Width; ++f) {
        alignas(64) wide both[2 * lane_count]{};
        std::memcpy(both, &widened(first[f]), sizeof(lanes<wide>));
        if (spills) std::memcpy(both + lane_count, &widened(first[Features + f]), sizeof(lanes<wide>));
        for (std::size_t l = shift + count; l < 2 * lane_count; ++l) both[l] = 0;
        std::memcpy(to + b * Width + f, both + shift, sizeof(lanes<wide>));
      }
    });
  }

  /// `visit(block, group of lanes, first lane, positions in the block)`
  template <class Visit>
  void each_block(Visit visit) const {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t row = sample * Positions + b * lane_count;
      visit(b, row / lane_count, row % lane_count, std::min(lane_count, Positions - b * lane_count));
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
