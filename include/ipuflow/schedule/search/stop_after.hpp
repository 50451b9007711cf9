// SPDX-License-Identifier: BSL-1.0
// A clock for searches: `search(..., stop_after(seconds))` ends with what it has by then. What it finds depends on the machine then,
// and says so (`searched::stopped`).
#pragma once

#include <ipuflow/core/clock.hpp>

namespace ipuflow::schedule {

/// True from `seconds` after it was made; never, if they are more than a clock counts.
class stop_after {
 public:
  explicit stop_after(double seconds) : end_{clock::time_point::max()} {
    if (!(seconds > 0)) end_ = clock::now();  // also if it is no number
    else if (seconds < most) end_ = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
  }
  [[nodiscard]] bool operator()() const { return clock::now() >= end_; }

 private:
  using clock = steady_clock;
  static constexpr double most = 1e9;  // 31 years

  clock::time_point end_;
};

}  // namespace ipuflow::schedule
