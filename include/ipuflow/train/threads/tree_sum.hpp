// SPDX-License-Identifier: BSL-1.0
// The sum over copies of a pipeline: one fixed tree over their numbers. Floating-point sums depend on their order, so one process
// with all copies and many processes with some of them each add up in this one: each adds up the branches that it has whole.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>

#include <array>
#include <bit>
#include <cstddef>

namespace ipuflow::train::impl {

/// Numbers that are added up at a time.
inline constexpr std::size_t tree_chunk = 1024;

/// The first copy behind the left half of a branch of at least two: the left one has the greatest power of two that is less than all.
[[nodiscard]] constexpr std::size_t tree_middle(std::size_t first, std::size_t end) { return first + std::bit_floor(end - first - 1); }

/// The sum over copies from `first` to before `end` of at most `tree_chunk` numbers: returns where it lies, in `room` or where a branch has
/// it. `branch(first, end, room)` does the same for a branch for which `whole(first, end)` is true, as it has to be for one copy; other
/// branches are the sum of their halves.
template <class Whole, class Branch>
const float* tree_sum(std::size_t first, std::size_t end, light_span<float> room, const Whole& whole, const Branch& branch) {
  if (whole(first, end)) return branch(first, end, room);
  const std::size_t middle = tree_middle(first, end);
  std::array<float, tree_chunk> of_right;
  const float* const left = tree_sum(first, middle, room, whole, branch);
  const float* const right = tree_sum(middle, end, light_span<float>{of_right.data(), room.size()}, whole, branch);
  float* const sum = room.data();
  if (left == sum) {  // said apart, so that both loops are compiled to wide ones
    for (std::size_t i = 0; i < room.size(); ++i) sum[i] += right[i];
  } else {
    for (std::size_t i = 0; i < room.size(); ++i) sum[i] = left[i] + right[i];
  }
  return sum;
}

/// Calls `visit(first number, count)` for chunks of `count` numbers.
template <class Visit>
void for_each_chunk(std::size_t count, const Visit& visit) {
  for (std::size_t at = 0; at < count; at += tree_chunk) visit(at, algorithms::min(tree_chunk, count - at));
}

}  // namespace ipuflow::train::impl
