// SPDX-License-Identifier: BSL-1.0
// The times in which a host makes items, for a model of the machine that it feeds: measured of a loader, or drawn from a
// distribution. They say what a slow host costs before there is a machine: `on::chips{.host_times = ...}`.
#pragma once

#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// How long a range takes for each of its elements, `most` of them at most; `parts`: each counts as so many, as the
/// micro-batches of a step that is loaded at once.
template <class Range>
[[nodiscard]] std::vector<seconds> step_times(Range&& steps, std::size_t most, std::size_t parts = 1) {
  using clock = std::chrono::steady_clock;
  std::vector<seconds> times;
  auto before = clock::now();
  auto at = steps.begin();
  for (const auto end = steps.end(); at != end && times.size() < most * parts;) {
    const auto now = clock::now();
    const double each = std::chrono::duration<double>(now - before).count() / static_cast<double>(parts);
    times.insert(times.end(), parts, seconds{each});
    before = now;
    if (times.size() < most * parts) ++at;  // nothing is made that is not measured
  }
  return times;
}

/// Times with this mean and deviation, log-normal: never below 0, most of them short, some long. The same seed draws the same.
[[nodiscard]] inline std::vector<seconds> drawn_times(seconds mean, seconds deviation, std::size_t count, std::uint64_t seed) {
  std::vector<seconds> times;
  const double spread = mean.value > 0 ? deviation.value / mean.value : 0;
  const double variance = std::log1p(spread * spread);
  for (std::size_t i = 0; i < count; ++i) {
    const auto uniform = [&](std::uint64_t of) { return (static_cast<double>(impl::drawn(seed, of, i) >> 11) + 0.5) * 0x1p-53; };
    const double normal = std::sqrt(-2 * std::log(uniform(0))) * std::cos(2 * 3.141592653589793 * uniform(1));
    times.push_back({mean.value * std::exp(std::sqrt(variance) * normal - variance / 2)});
  }
  return times;
}

}  // namespace ipuflow::feed
