// SPDX-License-Identifier: BSL-1.0
// Lanes, the IPUs of all replicas, dealt out to processes: neighbours together, as many to each as can be. IPU i of replica r is lane
// r * IPUs of a replica + i.
#pragma once

#include <cstddef>

namespace ipuflow::train {

/// Neighbouring lanes.
struct lane_range {
  std::size_t first = 0;
  std::size_t end = static_cast<std::size_t>(-1);

  [[nodiscard]] constexpr bool has(std::size_t lane) const { return first <= lane && lane < end; }
};

/// The lanes of a process.
[[nodiscard]] constexpr lane_range lanes_of(std::size_t lanes, std::size_t process, std::size_t processes) {
  return {lanes * process / processes, lanes * (process + 1) / processes};
}

/// The process that has a lane.
[[nodiscard]] constexpr std::size_t process_of_lane(std::size_t lane, std::size_t lanes, std::size_t processes) {
  std::size_t process = lane * processes / lanes;  // or the one behind it
  while (!lanes_of(lanes, process, processes).has(lane)) ++process;
  return process;
}

}  // namespace ipuflow::train
