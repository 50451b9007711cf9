// SPDX-License-Identifier: BSL-1.0
// The back end of a session that runs on simulated chips.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/ipu/machine/replica_places.hpp>
#include <ipuflow/run/chips/options.hpp>

#include <cstddef>

namespace ipuflow::on {

/// Chips of one kind, and what stands where on them.
struct chips {
  ipu::chip_system system{};                                      ///< by default as many Mk2 chips as are needed
  bool synthetic = false;                                         ///< nothing comes from the host or goes there
  std::size_t prefetch = 3;                                       ///< micro-batches that the host makes ahead
  seconds host_time{};                                            ///< in which the host makes one
  light_vector<seconds> host_times{};                              ///< of one after the other, again and again, where they differ
  bool asynchronous_loading = false;                              ///< the host makes the first ones of a step while the step before runs
  seconds call_time{};                                            ///< in which the host begins a step, before anything of it runs
  std::size_t io_tiles = 0;                                       ///< set aside on each chip, for transfers beside compute
  run::waits_for sync = run::waits_for::all_chips;                ///< neighbours: stages hand on their values by I/O tiles
  run::kept_in activations = run::kept_in::as_scheduled;
  run::kept_in weights = run::kept_in::as_scheduled;
  run::kept_in optimiser_state = run::kept_in::as_scheduled;
  run::kept_in accumulators = run::kept_in::as_scheduled;  ///< of gradients
  ipu::memory_proportions memory_proportion = 0.6;  ///< of a tile's memory, for what an operation needs besides its operands: one, or one for each chip of a replica
  bool merge_collectives = true;     ///< those of an update that follow each other run as one
  bool half_partials = false;        ///< products of halves are summed in halves: twice as fast, less exact
  bool share_code = true;            ///< layers that are alike have one copy of their code, and copy their values there and back
  bool allow_out_of_memory = false;  ///< the profile then shows what does not fit
  bool checked = false;              ///< functional steps look at every access: slowly
};

}  // namespace ipuflow::on

namespace ipuflow::train::impl {

/// The system of a session that needs this number of chips.
constexpr ipu::chip_system system_for(const on::chips& asked, std::size_t chips) {
  return asked.system == ipu::chip_system{} ? ipu::pod(ipu::mk2, chips) : asked.system;
}

/// The chips that replicas need, which never stand in two racks if they fit into one.
constexpr std::size_t chips_needed(std::size_t chips, std::size_t replicas) {
  const ipu::chip_system most = ipu::pod(ipu::mk2, ipu::most_chips);
  return chips * replicas <= most.chips_per_rack ? chips * replicas : ipu::places_of(most, chips, replicas).needed(replicas);
}

}  // namespace ipuflow::train::impl
