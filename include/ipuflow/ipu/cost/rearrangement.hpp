// SPDX-License-Identifier: BSL-1.0
// Copies within a tile that are not one run of whole words: rows at a distance, and halves that change their place in a
// word. Prices are those of the vendor's codelets: [LBM] profiles of halo exchanges (thorbenlouw/lbm-graphcore,
// experiments/halo-exchange-approaches), [C600] the cost formula of a kernel that moves halves (osmarks/ipu-stack).
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// Bundles of `DstStridedCopyDA32` and of each single word that it puts in place. In [LBM], 14,592 vertices for 243,200
/// words take 11,469,312 bundles (`explicitOneTensorGroupedDirs`); with those of `explicitOneTensor`, 11,268,126 in 9,726,
/// and `explicitManyTensors`, 11,065,032 in 8,522, these are the only whole numbers that leave whole words.
inline constexpr std::size_t strided_start = 36;
inline constexpr std::size_t strided_row = 45;

/// Bundles for six elements smaller than a word, each merged into its word: 129 cycles of one worker for a half, by its formula [C600].
inline constexpr std::size_t six_merges = 129;

inline constexpr std::size_t word = 4;  // bytes of one, the unit of an exchange

/// The runs that a tile has to move within itself.
struct rearrangement {
  std::uint64_t size = 0;    // bytes
  std::uint64_t rows = 0;    // runs of whole words
  std::uint64_t more = 0;    // moves of 64 bits in rows, after the first of each
  std::uint64_t merges = 0;  // elements that are moved one by one

  /// A run of `bytes` between two places, given in bytes, of elements of `element` bytes. If it begins in different
  /// places of a word, each element moves by itself; otherwise those at its ends that do not fill a word.
  constexpr void add(std::size_t from, std::size_t to, std::size_t bytes, std::size_t element, std::size_t width) {
    size += bytes;
    if (from % word != to % word) {
      merges += bytes / element;
      return;
    }
    const std::size_t head = algorithms::min(bytes, (word - to % word) % word);
    const std::size_t tail = (bytes - head) % word;
    merges += (head + tail) / element;
    const std::size_t whole = bytes - head - tail;
    if (whole == 0) return;
    ++rows;
    more += divided_up(whole, width) - 1;
  }

  /// A run of whole words.
  constexpr void add_words(std::size_t bytes, std::size_t width) {
    size += bytes;
    ++rows;
    more += divided_up(bytes, width) - 1;
  }

  constexpr rearrangement& operator+=(const rearrangement& other) {
    size += other.size;
    rows += other.rows;
    more += other.more;
    merges += other.merges;
    return *this;
  }
  [[nodiscard]] constexpr bool empty() const { return size == 0; }

  /// A single run is copied as fast as memory goes; several are dealt out to the workers.
  [[nodiscard]] constexpr vertex_cost cost(const architecture& chip) const {
    if (rows <= 1 && merges == 0) return local_copy_cost(chip, {size});
    const std::size_t all = strided_row * rows + more + divided_up(six_merges * merges, 6);
    return {strided_start + divided_up(all, chip.workers), 0, true, 0};
  }
};

}  // namespace impl

}  // namespace ipuflow::ipu
