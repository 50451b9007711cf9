// SPDX-License-Identifier: BSL-1.0
// A shuffled order that costs no memory: a bijection of 0 ... size-1 computed on the fly. Two halves of the index are
// mixed in turn with a hash of each other and of the key (a Feistel network), and where the result is not below `size`
// it is mixed again (cycle walking). Only unsigned 64-bit arithmetic: the same order on every platform, for ever.
#pragma once

#include <ipuflow/core/mixed_bits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ipuflow::feed {

namespace impl {

/// The key of an epoch: a shuffle with one seed has another order in each.
constexpr std::uint64_t epoch_key(std::uint64_t seed, std::uint64_t epoch) { return mixed_bits(mixed_bits(seed) + epoch); }

/// A random number for sample `index` of an epoch, whichever worker asks for it and when.
constexpr std::uint64_t drawn(std::uint64_t seed, std::uint64_t epoch, std::uint64_t index) {
  return mixed_bits(epoch_key(seed, epoch) + index);
}

}  // namespace impl

class permutation {
 public:
  constexpr permutation(std::size_t size, std::uint64_t key) : size_{size}, key_{key} {
    const auto bits = static_cast<unsigned>(std::bit_width(size < 2 ? std::size_t{1} : size - 1));
    low_bits_ = (bits < least_bits ? least_bits : bits) / 2;
    const unsigned high_bits = (bits < least_bits ? least_bits : bits) - low_bits_;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << high_bits) - 1;
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }

  /// The number that stands at `index` in the shuffled order; `index` must be below `size()`.
  constexpr std::size_t operator[](std::size_t index) const {
    std::uint64_t at = index;
    do {
      at = once(at);
    } while (at >= size_);
    return at;
  }

 private:
  static constexpr unsigned rounds = 6;
  static constexpr unsigned least_bits = 6;  // fewer would leave some orders of few samples out

  constexpr std::uint64_t once(std::uint64_t x) const {
    std::uint64_t low = x & low_mask_;
    std::uint64_t high = x >> low_bits_;
    for (std::uint64_t round = 0; round < rounds; round += 2) {
      low ^= mixed_bits(key_ ^ (high << 8) ^ round) & low_mask_;
      high ^= mixed_bits(key_ ^ (low << 8) ^ (round + 1)) & high_mask_;
    }
    return (high << low_bits_) | low;
  }

  std::uint64_t size_;
  std::uint64_t key_;
  std::uint64_t low_mask_ = 0;
  std::uint64_t high_mask_ = 0;
  unsigned low_bits_ = 0;
};

}  // namespace ipuflow::feed
