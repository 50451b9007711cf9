// SPDX-License-Identifier: BSL-1.0
// The formula of a queue between two stages: item i is made H after the later of item i - 1 being made and item i - D being
// taken, and taken when it is made and the chips ask for it. It knows nothing of programs, loops and chips.
#pragma once

#include <ipuflow/chips.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

using namespace ipuflow;

inline double time_of(const ipu::profile& p) { return static_cast<double>(p.total.value) / p.clock.value; }

/// When the chips, or their I/O tiles, ask for their samples, from the start of a run in which the host costs nothing.
inline std::vector<double> asked_for(const run::chips_profile& quick) {
  std::vector<double> times;
  quick.for_each([&](const run::chips_activity& a) {
    if (a.what.work == run::chips_work::infeed) times.push_back(static_cast<double>(a.start.value) / quick.chips.clock.value);
    return true;
  });
  std::sort(times.begin(), times.end());
  return times;
}

/// The time of the chips with a host that needs `host` for an item and makes `ahead` of them ahead.
inline double two_stages(const run::chips_profile& quick, std::size_t ahead, double host) {
  double waited = 0;
  std::vector<double> made;
  std::vector<double> taken;
  for (const double asked : asked_for(quick)) {
    const std::size_t i = made.size();
    const double begun = ahead == 0 ? asked + waited : std::max(i > 0 ? made[i - 1] : 0, i >= ahead ? taken[i - ahead] : 0);
    made.push_back(begun + host);
    taken.push_back(std::max(asked + waited, made[i]));
    waited = taken[i] - asked;
  }
  return time_of(quick.chips) + waited;
}

/// The same with I/O tiles, which are the queue's last place: they ask for an item as soon as the chips have taken the one before,
/// and the chips wait when they take it. The first is on its way for as long as it takes from the beginning.
inline double two_stages_by_io_tiles(const run::chips_profile& quick, std::size_t ahead, double host) {
  const std::vector<double> asked = asked_for(quick);
  const double way = asked[1] - asked[0];
  double waited = 0;
  std::vector<double> made;
  std::vector<double> fetched;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const double begun = ahead == 0 ? asked[i] + waited : std::max(i > 0 ? made[i - 1] : 0, i >= ahead ? fetched[i - ahead] : 0);
    made.push_back(begun + host);
    fetched.push_back(std::max(asked[i] + waited, made[i]));
    const double taken = i + 1 < asked.size() ? asked[i + 1] : 2 * asked[i] - asked[i - 1];
    waited = std::max(waited, fetched[i] + way - taken);
  }
  return time_of(quick.chips) + waited;
}
