// SPDX-License-Identifier: BSL-1.0
// The cores of a process among those of its host: each core that it may use, divided by all who may. Starters of processes give each a core or
// a part of the machine (`--bind-to`), or the whole of it to all.
#pragma once

#include <ipuflow/core/posix.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::mpi::impl {

/// The share of the process that is `local[mine]`, of those of one host: 4 of 8 cores that two may use, and all of its own; in thirds and the
/// like it is no whole number.
[[nodiscard]] inline double core_share(std::span<const posix::core_set> local, std::size_t mine) {
  double share = 0;
  for (std::size_t c = 0; c < posix::core_set::most; ++c) {
    if (!local[mine].has(c)) continue;
    std::size_t users = 0;
    for (const posix::core_set& of : local) users += of.has(c) ? 1u : 0u;
    share += 1 / static_cast<double>(users);
  }
  return share + 1e-9;  // three thirds are a whole core
}

}  // namespace ipuflow::mpi::impl
