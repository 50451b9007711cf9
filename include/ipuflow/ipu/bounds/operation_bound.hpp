// SPDX-License-Identifier: BSL-1.0
// Upper bounds of what an operation takes on a tile, in closed form: constant expressions that try no plan but a few. The planner takes
// none that is more than a sixteenth slower than the fastest, and a tile that holds much takes long to bring and to work on it; so a
// plan with known time bounds what any plan that may be taken holds.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

/// The most that an operation takes on a tile, whichever plan is taken.
struct operation_bound {
  std::uint64_t temporary = 0;  ///< bytes
  std::uint64_t pieces = 0;     ///< that the tile receives

  friend constexpr bool operator==(const operation_bound&, const operation_bound&) = default;
};

/// The most bytes on a tile of `elements` that are spread over `tiles`, at least 128 bytes to each, in grains.
[[nodiscard]] constexpr std::uint64_t spread_bound(element_type type, std::size_t elements, std::size_t tiles, std::size_t grain = 0) {
  const std::size_t size = size_of(type), together = grain == 0 ? vector_width(type) : grain;
  const std::size_t used = algorithms::clamp<std::size_t>(elements * size / 128, 1, tiles);
  return algorithms::min(elements, divided_up(divided_up(elements, together), used) * together) * size;
}

namespace impl {

/// Numbers of parts worth trying, of which the first n are there: for each size of the largest part the fewest that give it.
struct part_list {
  dynamic_array<std::size_t> parts;

  constexpr part_list(std::size_t of, std::size_t most) {
    for (std::size_t size = of; size > 0;) {
      const std::size_t fewest = divided_up(of, size);
      if (fewest > most) return;
      parts.push_back(fewest);
      if (fewest == of) return;
      size = (of - 1) / fewest;  // the largest size that needs one part more
    }
  }
  constexpr const std::size_t* begin() const { return parts.begin(); }
  constexpr const std::size_t* end() const { return parts.end(); }
};

/// A few plans with the least estimates, in cycles, that a cheaper bound puts first.
template <class Plan, std::size_t Count = 3>
struct first_plans {
  Plan plans[Count]{};
  double times[Count]{};
  std::size_t count = 0;

  constexpr void offer(const Plan& p, double time) {
    std::size_t at = count < Count ? count++ : Count;
    while (at > 0 && time < times[at - 1]) {
      if (at < Count) plans[at] = plans[at - 1], times[at] = times[at - 1];
      --at;
    }
    if (at < Count && (at + 1 == count || time <= times[at])) plans[at] = p, times[at] = time;
  }
};

/// A line below the time of some work over its amount, in cycles.
struct time_line {
  double fixed = 0, slope = 0;

  /// Between two amounts, of which whole `turns` take the least for each: starts are dearer than what follows. `still`: units within
  /// which time may stand still.
  template <class Time>
  static constexpr time_line below(const Time& time, std::size_t from, std::size_t to, std::size_t turns, std::size_t still) {
    const std::size_t whole = to > turns ? turns : 1;  // less than one is shared out evenly
    const std::size_t begin = divided_up(from, whole) * whole, end = divided_up(to, whole) * whole;
    const auto first = static_cast<double>(time(begin)), last = static_cast<double>(time(end));
    const double slope = end > begin && last > first ? (last - first) / static_cast<double>(end - begin) : 0;
    const double here = begin == from ? first : static_cast<double>(time(from));
    const double fixed = algorithms::min(first - slope * static_cast<double>(begin), here - slope * static_cast<double>(from));
    return {fixed - slope * static_cast<double>(still), slope};
  }
};

}  // namespace impl

}  // namespace ipuflow::ipu
