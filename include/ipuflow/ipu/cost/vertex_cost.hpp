// SPDX-License-Identifier: BSL-1.0
// The cost of a codelet, and the time that a tile takes for its vertices. A worker issues one bundle (an instruction of the
// integer side with one of the float side) every six cycles, whatever the others do; so a tile is busy for six times
// the bundles of its busiest worker. A codelet may instead be run by all workers at once, under a supervisor with
// cycles of its own.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

[[nodiscard]] constexpr std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
[[nodiscard]] constexpr std::size_t least_common_multiple(std::size_t a, std::size_t b) {
  std::size_t common = a, left = b;  // divisor
  while (left != 0) {
    const std::size_t rest = common % left;
    common = left;
    left = rest;
  }
  return common == 0 ? 0 : a / common * b;
}

/// The cost of one vertex. `bundles` are those of the busiest worker; with `all_workers`, six run it side by side.
struct vertex_cost {
  std::size_t bundles = 0;     ///< issued by the busiest worker
  std::size_t supervisor = 0;  ///< cycles
  bool all_workers = false;    ///< six run the vertex side by side
  std::size_t flops = 0;       ///< floating-point operations, for reports

  friend constexpr bool operator==(const vertex_cost&, const vertex_cost&) = default;
};

/// Cycles of a vertex that has the tile for itself.
[[nodiscard]] constexpr cycles alone(const vertex_cost& cost, const architecture& chip) {
  return {cost.supervisor + chip.workers * cost.bundles};
}

namespace impl {

/// The vertices of one tile in one compute set, handed to whichever worker is free first.
template <class = void>
class basic_tile_load {
 public:
  constexpr explicit basic_tile_load(const architecture& chip) : workers_(chip.workers, 0) {}

  constexpr void add(const vertex_cost& cost) {
    issued_ += cost.all_workers ? cost.bundles * workers_.size() : cost.bundles;
    if (cost.all_workers) {
      supervised_ += cost.supervisor + workers_.size() * cost.bundles;
      return;
    }
    supervised_ += cost.supervisor;
    std::size_t free = 0;
    for (std::size_t w = 1; w < workers_.size(); ++w) {
      if (workers_[w] < workers_[free]) free = w;
    }
    workers_[free] += cost.bundles;
  }

  /// The time for which the tile is busy.
  [[nodiscard]] constexpr cycles busy() const {
    std::size_t most = 0;
    for (const std::size_t bundles : workers_) most = bundles > most ? bundles : most;
    return {supervised_ + workers_.size() * most};
  }

  /// Cycles in which a worker issues: the same without idle workers.
  [[nodiscard]] constexpr cycles issued() const { return {issued_}; }

 private:
  light_vector<std::size_t> workers_;
  std::size_t supervised_ = 0;
  std::size_t issued_ = 0;
};
using tile_load = basic_tile_load<>;

}  // namespace impl

/// A loop as a compiler writes it for one worker: the operations of one turn. Loads and stores go to the integer side,
/// one a bundle; arithmetic goes beside them except what waits for the last load; a compiled loop ends in a branch, one
/// written by hand is repeated by hardware.
struct loop_turn {
  std::size_t loads = 0;
  std::size_t arithmetic_after_loads = 0;
  std::size_t stores = 0;
  bool branch = true;

  [[nodiscard]] constexpr std::size_t bundles() const { return loads + arithmetic_after_loads + stores + (branch ? 1 : 0); }
};

}  // namespace ipuflow::ipu
