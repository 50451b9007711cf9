// SPDX-License-Identifier: BSL-1.0
// Times of a walk by several clocks: how long something takes from its first begin to its last end, and whether a turn of a loop
// moves all times alike.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ipuflow::ipu::impl {

/// From the first begin to the last end of what is added.
struct time_span {
  std::uint64_t begin = static_cast<std::uint64_t>(-1);
  std::uint64_t end = 0;

  void add(time_span other) {
    begin = algorithms::min(begin, other.begin);
    end = algorithms::max(end, other.end);
  }
};

/// All times that what comes depends on, and how often rings were used.
struct moment {
  light_vector<std::uint64_t> times{};
  light_vector<std::uint64_t> counts{};
};

/// By how much a turn from one moment to the next shifts all times; those that stay are not used in it. None if they
/// are shifted by different amounts.
template <class = void>
[[nodiscard]] std::optional<std::uint64_t> shift_of(const moment& from, const moment& to) {
  std::uint64_t by = 0;
  for (std::size_t i = 0; i < from.times.size(); ++i) {
    const std::uint64_t moved = to.times[i] - from.times[i];
    if (moved == 0) continue;
    if (by != 0 && moved != by) return {};
    by = moved;
  }
  return by;
}

}  // namespace ipuflow::ipu::impl
