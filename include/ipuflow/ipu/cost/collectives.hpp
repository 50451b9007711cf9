// SPDX-License-Identifier: BSL-1.0
// The time of a collective over replicas. In a rack they form a ring for each chip of a replica, all at work at once, in both
// directions; between racks those chips form rings by the gateways, as [GCL] has it: parts are added up in the rack, each is then
// added up over racks, and all come back. A round has a fixed time. Like [PL] it takes the fastest way: halves of parts go all the
// way round in either direction, or parts half of the way and meet in the middle, or, few bytes, all at once [GCL]. Sources: [PL]
// poplibs, [GCL] the guide to the vendor's collectives.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/links.hpp>
#include <ipuflow/ipu/machine/replica_places.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// A ring, as a pass over it sees it: the time of a message's way, and seconds a byte on the busiest link while messages go round
/// in one direction, and in both.
struct ring_shape {
  std::size_t members = 1;
  seconds way{};
  double one_way = 0;
  double both_ways = 0;
};

/// Parts that pass a link in one direction if every member sends one to every other, the shorter way round.
[[nodiscard]] constexpr double parts_at_once(std::size_t members) {
  const auto half = static_cast<double>(members / 2);
  return members % 2 == 0 ? half * half / 2 : half * (half + 1) / 2;
}

/// Both halves of every part go all the way round, one in either direction.
[[nodiscard]] constexpr seconds round_and_round(const chip_system& all, const ring_shape& ring, double size) {
  const double half = size / static_cast<double>(2 * ring.members);
  return (all.ring_round + ring.way + seconds{half * ring.both_ways}) * static_cast<double>(ring.members - 1);
}

/// Parts go half of the way in either direction; an even number has a last round from one side alone.
[[nodiscard]] constexpr seconds to_the_middle(const chip_system& all, const ring_shape& ring, double size) {
  const double part = size / static_cast<double>(ring.members);
  const auto rounds = static_cast<double>(ring.members / 2);
  const double last = ring.members % 2 == 0 ? ring.one_way : ring.both_ways;
  return (all.ring_round + ring.way) * rounds + seconds{part * ((rounds - 1) * ring.both_ways + last)};
}

/// Every member sends every other its part, the shorter way round.
[[nodiscard]] constexpr seconds at_once(const chip_system& all, const ring_shape& ring, double size) {
  const double part = size / static_cast<double>(ring.members);
  return all.ring_round + ring.way * static_cast<double>(ring.members / 2) + seconds{part * parts_at_once(ring.members) * ring.both_ways};
}

/// A pass over a ring: every member ends with its part of the sum, or with all parts.
[[nodiscard]] constexpr seconds pass_time(const chip_system& all, const ring_shape& ring, double size) {
  if (ring.members < 2) return {};
  return algorithms::min(round_and_round(all, ring, size), to_the_middle(all, ring, size), at_once(all, ring, size));
}

/// The replica at a place of the ring: those of one chip go up one side of the ladder and down the other [PL].
[[nodiscard]] constexpr std::size_t replica_on_ring(std::size_t at, std::size_t replicas, std::size_t chips) {
  if (chips > 1) return at;
  const std::size_t up = (replicas + 1) / 2;
  return at < up ? 2 * at : 2 * (replicas - 1 - at) + 1;
}

/// The ring over the first replicas of a rack, with those of all chips of a replica on the same links.
template <class = void>
[[nodiscard]] ring_shape ring_in_rack(const chip_system& all, const replica_places& places, std::size_t replicas) {
  ring_shape made{.members = replicas};
  chip_system rack = all;
  rack.chips = algorithms::min(all.chips, all.chips_per_rack);
  light_vector<std::size_t> forwards(link_count(rack), 0), both(link_count(rack), 0);
  std::size_t most_forwards = 0, most_both = 0;
  const auto place = [&](std::size_t at, std::size_t chip) {
    return places.first(replica_on_ring(at % replicas, replicas, places.chips)) + place_of(all.order, chip, places.chips);
  };
  for (std::size_t chip = 0; replicas > 1 && chip < places.chips; ++chip) {
    for (std::size_t at = 0; at < replicas; ++at) {
      const std::size_t here = place(at, chip), next = place(at + 1, chip);
      for_each_link(rack, here, next, [&](std::size_t link) {
        most_forwards = algorithms::max(most_forwards, ++forwards[link]);
        most_both = algorithms::max(most_both, ++both[link]);
      });
      for_each_link(rack, next, here, [&](std::size_t link) { most_both = algorithms::max(most_both, ++both[link]); });
      made.way = algorithms::max(made.way, way_time(rack, here, next));
    }
  }
  made.one_way = static_cast<double>(most_forwards) / link_rate(rack, 0);
  made.both_ways = static_cast<double>(most_both) / link_rate(rack, 0);
  return made;
}

/// The ring over racks, whose chips in one machine share its gateway. Racks that are all there are close it; others go back by the
/// links on which they came.
[[nodiscard]] constexpr ring_shape ring_of_racks(const chip_system& all, const replica_places& places, std::size_t replicas) {
  const std::size_t used = (replicas + places.in_rack - 1) / places.in_rack;
  const std::size_t across = places.rack_places / all.chips_per_rack;  // racks of a replica that does not fit into one
  const bool closed = used * across == racks(all);
  const std::size_t in_last = places.needed(replicas - (used - 1) * places.in_rack);
  const std::size_t sharing = algorithms::min(all.chips_per_machine, in_last) * across;
  const double byte = static_cast<double>(sharing) / all.gateway_bandwidth;
  const std::size_t longest = closed ? across : (used - 1) * across;
  return {used, all.gateway_hop * static_cast<double>(longest), byte, closed ? byte : 2 * byte};
}

}  // namespace impl

/// A collective of one pass (all-gather, reduce-scatter) or two (all-reduce) over what every chip of each replica has. Replicas that the
/// system has no places for are priced on one that has them.
template <class = void>
[[nodiscard]] cycles ring_time(const chip_system& all, bytes size, std::size_t replicas, std::size_t chips_of_replica, std::size_t passes) {
  if (replicas < 2) return {};
  const replica_places places = places_of(all, chips_of_replica, replicas);
  if (const std::size_t needed = places.needed(replicas); needed > all.chips) {
    chip_system larger = all;
    larger.chips = needed;
    return ring_time(larger, size, replicas, chips_of_replica, passes);
  }
  const std::size_t in_rack = algorithms::min(replicas, places.in_rack);
  const auto whole = static_cast<double>(size.value);
  seconds pass = impl::pass_time(all, impl::ring_in_rack(all, places, in_rack), whole);
  if (replicas > in_rack) {
    const std::size_t fewest = (replicas - 1) % in_rack + 1;  // in the last rack
    pass += impl::pass_time(all, impl::ring_of_racks(all, places, replicas), whole / static_cast<double>(fewest));
  }
  return all.chip.global_sync + cycles_in(pass * static_cast<double>(passes), all.chip.clock);
}

}  // namespace ipuflow::ipu
