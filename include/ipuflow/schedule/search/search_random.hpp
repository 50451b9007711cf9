// SPDX-License-Identifier: BSL-1.0
// Random numbers of a search: a function of its seed and of the count of those drawn before, the same on every machine.
#pragma once

#include <ipuflow/core/mixed_bits.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

class search_random {
 public:
  constexpr explicit search_random(std::uint64_t seed) : seed_{mixed_bits(seed)} {}
  /// A number below `n`, which is at most 2^31.
  constexpr std::size_t operator()(std::size_t n) { return (mixed_bits(seed_ + ++drawn_) >> 33) % n; }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

}  // namespace ipuflow::schedule::impl
