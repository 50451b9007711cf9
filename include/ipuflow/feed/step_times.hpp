// SPDX-License-Identifier: BSL-1.0
// The times in which a host makes items, for simulated chips that it feeds: measured of a loader, or drawn from a
// distribution. They say what a slow host costs before there is a machine: `on::chips{.host_times = ...}`.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// The time of a range for each of its elements, of `most` at most. With `parts` an element counts as that many, each with its
/// share of the time: the micro-batches of a step that is loaded at once.
template <class Range>
[[nodiscard]] std::vector<seconds> step_times(Range&& steps, std::size_t most, std::size_t parts = 1) {
  if (parts == 0) throw_if(dataset_fault{dataset_wrong::no_parts, parts, 1});
  using clock = steady_clock;
  std::vector<seconds> times;
  if (most == 0) return times;
  auto before = clock::now();
  auto at = steps.begin();
  const auto end = steps.end();
  for (std::size_t measured = 0; at != end && measured < most;) {
    const auto now = clock::now();
    const double each = std::chrono::duration<double>(now - before).count() / static_cast<double>(parts);
    times.insert(times.end(), parts, seconds{each});
    before = now;
    if (++measured < most) ++at;  // nothing is made that is not measured
  }
  return times;
}

/// Times with this mean and deviation, log-normal: never below 0, most of them short, some long. The same seed draws the same. Throws
/// if mean or deviation is negative or no number.
template <class = void>
[[nodiscard]] std::vector<seconds> drawn_times(seconds mean, seconds deviation, std::size_t count, std::uint64_t seed) {
  if (!(mean.value >= 0 && deviation.value >= 0)) throw_if(arithmetic_fault{arithmetic_wrong::no_count});
  std::vector<seconds> times;
  const double spread = mean.value > 0 ? deviation.value / mean.value : 0;
  const double variance = math::log1p(spread * spread);
  for (std::size_t i = 0; i < count; ++i) {
    const auto uniform = [&](std::uint64_t of) { return (static_cast<double>(impl::drawn(seed, of, i) >> 11) + 0.5) * 0x1p-53; };
    const double normal = math::sqrt(-2 * math::log(uniform(0))) * math::cos(2 * 3.141592653589793 * uniform(1));
    times.push_back({mean.value * math::exp(math::sqrt(variance) * normal - variance / 2)});
  }
  return times;
}

}  // namespace ipuflow::feed
