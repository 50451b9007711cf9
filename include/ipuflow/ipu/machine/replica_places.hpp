// SPDX-License-Identifier: BSL-1.0
// The places of replicas on a system: one behind the other, on rungs of their own, and never in two racks if a replica fits into
// one. So its chips are neighbours, and its messages never share a link with those of another.
#pragma once

#include <ipuflow/ipu/machine/chip_system.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// The places of replicas of a program that has some number of chips.
struct replica_places {
  std::size_t chips = 1;        ///< of a replica
  std::size_t apart = 1;        ///< places from one replica to the next in its rack
  std::size_t in_rack = 1;      ///< replicas
  std::size_t rack_places = 1;  ///< from the first place of a rack, or of the racks of a replica, to that of the next

  /// The place of a replica's first chip.
  [[nodiscard]] constexpr std::size_t first(std::size_t replica) const {
    return replica / in_rack * rack_places + replica % in_rack * apart;
  }
  /// The places of a system that replicas need.
  [[nodiscard]] constexpr std::size_t needed(std::size_t replicas) const {
    return replicas == 0 ? 0 : first(replicas - 1) + chips;
  }
};

namespace impl {

[[nodiscard]] constexpr replica_places places_apart(const chip_system& all, std::size_t chips, std::size_t apart) {
  const std::size_t rack = all.chips_per_rack == 0 ? 1 : all.chips_per_rack;  // `verify` of the system says what is wrong
  if (chips > rack) return {chips, chips, 1, (chips + rack - 1) / rack * rack};
  const std::size_t in_rack = (rack - chips) / apart + 1;
  return {chips, apart, in_rack, rack};
}

}  // namespace impl

/// Replicas of an odd number of chips leave a place free, so that each begins on a rung, if the system has room for that.
[[nodiscard]] constexpr replica_places places_of(const chip_system& all, std::size_t chips, std::size_t replicas) {
  if (chips == 0) return places_of(all, 1, replicas);
  const std::size_t even = chips == 1 ? 1 : chips + chips % 2;
  const replica_places on_rungs = impl::places_apart(all, chips, even);
  return on_rungs.needed(replicas) <= all.chips ? on_rungs : impl::places_apart(all, chips, chips);
}

}  // namespace ipuflow::ipu
