// SPDX-License-Identifier: BSL-1.0
// A square block of lanes, turned: lane i of vector j becomes lane j of vector i. Halves are exchanged between vectors
// that are 1, 2, 4, ... apart, as in a butterfly, so that a block of n vectors takes n log n shuffles and never leaves
// registers.
#pragma once

#include <ipuflow/nn/simd/lanes.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn {

namespace detail {

/// Lanes of `a` and `b` whose index has bit `Step` clear (`Upper` false) or set, those of `b` moved beside those of
/// `a`.
template <std::size_t Step, bool Upper, class T, std::size_t... I>
[[gnu::always_inline]] inline lanes<T> exchanged(const lanes<T>& a, const lanes<T>& b, std::index_sequence<I...>) {
  if constexpr (Upper) {
    return {__builtin_shufflevector(a.v, b.v, static_cast<int>((I & Step) == 0 ? I + Step : I + lane_count)...)};
  } else {
    return {__builtin_shufflevector(a.v, b.v, static_cast<int>((I & Step) == 0 ? I : I - Step + lane_count)...)};
  }
}

/// Pair number `Pair` of vectors that are `Step` apart.
template <std::size_t Step, std::size_t Pair, class T>
[[gnu::always_inline]] inline void exchange_pair(lanes<T>* block) {
  constexpr std::size_t first = Pair / Step * 2 * Step + Pair % Step;
  constexpr auto all = std::make_index_sequence<lane_count>{};
  const lanes<T> low = exchanged<Step, false>(block[first], block[first + Step], all);
  block[first + Step] = exchanged<Step, true>(block[first], block[first + Step], all);
  block[first] = low;
}

/// A fold, so that every vector is named by a constant and stays in its register.
template <std::size_t Step, class T, std::size_t... Pair>
[[gnu::always_inline]] inline void exchange_halves(lanes<T>* block, std::index_sequence<Pair...>) {
  (exchange_pair<Step, Pair>(block), ...);
}

}  // namespace detail

namespace impl {

template <class T, std::size_t... I>
[[gnu::always_inline]] inline void transpose(const lanes<T>* from, lanes<T>* to, std::index_sequence<I...>) {
  constexpr auto pairs = std::make_index_sequence<lane_count / 2>{};
  lanes<T> block[]{from[I]...};
  detail::exchange_halves<1>(block, pairs);
  detail::exchange_halves<2>(block, pairs);
  if constexpr (lane_count > 4) detail::exchange_halves<4>(block, pairs);
  if constexpr (lane_count > 8) detail::exchange_halves<8>(block, pairs);
  ((to[I] = block[I]), ...);
}

/// Turns `lane_count` vectors.
template <class T>
void transpose(const lanes<T>* from, lanes<T>* to) {
  transpose(from, to, std::make_index_sequence<lane_count>{});
}

}  // namespace impl

}  // namespace ipuflow::nn
