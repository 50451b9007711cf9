// SPDX-License-Identifier: BSL-1.0
// The topology of a session as a table: which process has which replicas and IPUs, and where it runs.
#pragma once

#include <ipuflow/mpi/world.hpp>
#include <ipuflow/train/threads/lanes.hpp>

#include <cstddef>
#include <string>

namespace ipuflow::mpi {

/// One line a process. IPUs of a replica count from 0; a process that has parts of several replicas has the first from one IPU on, and
/// the last up to one.
template <class = void>
[[nodiscard]] std::string topology_text(const world& all, std::size_t replicas, std::size_t ipus) {
  std::string text = "| process | host | of the host | replicas | IPUs |\n|---|---|---|---|---|\n";
  const auto number = [](std::size_t n) { return std::to_string(n); };
  for (std::size_t p = 0; p < all.processes(); ++p) {
    const auto [first, end] = train::lanes_of(replicas * ipus, p, all.processes());
    std::size_t local = 0;
    for (std::size_t q = 0; q < p; ++q) local += all.host_of(q) == all.host_of(p) ? 1u : 0u;
    text += "| " + number(p) + " | " + std::string{all.host_of(p)} + " | " + number(local) + " | ";
    if (first == end) {
      text += "none | none |\n";
      continue;
    }
    const std::size_t last = end - 1;
    text += number(first / ipus) + (first / ipus == last / ipus ? "" : " to " + number(last / ipus)) + " | ";
    text += number(first % ipus) + (end - first == 1 ? "" : " to " + number(last % ipus)) + " |\n";
  }
  return text;
}

}  // namespace ipuflow::mpi
