// SPDX-License-Identifier: BSL-1.0
// Ways between chips: along the ladder of a rack, the shorter way round where it is closed, and across it; from rack to rack by
// the gateway of a machine to that of the same machine of the next rack, the shorter way round the ring of racks, and then along
// the ladder there. Each machine has a gateway link to either side, as [GWL] has them cabled.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

/// Bytes that one chip sends another.
struct chip_transfer {
  std::size_t from = 0;
  std::size_t to = 0;
  bytes size;

  friend constexpr bool operator==(const chip_transfer&, const chip_transfer&) = default;
};

namespace impl {

[[nodiscard]] constexpr std::size_t rack_of(const chip_system& all, std::size_t chip) { return chip / all.chips_per_rack; }

/// Chips of a rack.
[[nodiscard]] constexpr std::size_t chips_in(const chip_system& all, std::size_t rack) {
  const std::size_t left = all.chips - rack * all.chips_per_rack;
  return left < all.chips_per_rack ? left : all.chips_per_rack;
}

/// The chip after `at` on the way to `to` on a ladder of `chips`: along it (the shorter way round the ring), then across.
[[nodiscard]] constexpr std::size_t next_on_ladder(std::size_t chips, bool closed, std::size_t at, std::size_t to) {
  const std::size_t rungs = (chips + 1) / 2;
  const std::size_t here = at / 2;
  const std::size_t there = to / 2;
  if (here == there) return to;
  const std::size_t up = (there + rungs - here) % rungs;
  const bool forward = closed ? 2 * up <= rungs : there > here;
  const std::size_t rung = forward ? (here + 1) % rungs : (here + rungs - 1) % rungs;
  const std::size_t next = 2 * rung + at % 2;
  return next < chips ? next : at - 1;  // the last rung of an odd ladder has one chip
}

/// The rack after `here` on the way round the ring of racks to `there`.
[[nodiscard]] constexpr std::size_t next_rack(const chip_system& all, std::size_t here, std::size_t there) {
  const std::size_t count = racks(all);
  const std::size_t up = (there + count - here) % count;
  return 2 * up <= count ? (here + 1) % count : (here + count - 1) % count;
}

/// The chip after `at` on the way to `to`.
[[nodiscard]] constexpr std::size_t next_hop(const chip_system& all, std::size_t at, std::size_t to) {
  const std::size_t rack = rack_of(all, at);
  const std::size_t first = rack * all.chips_per_rack;
  const std::size_t here = chips_in(all, rack);
  std::size_t towards = to - rack_of(all, to) * all.chips_per_rack;
  if (rack_of(all, to) != rack) {
    const std::size_t next = next_rack(all, rack, rack_of(all, to));
    const std::size_t there = chips_in(all, next);
    const std::size_t machine = (at - first) / all.chips_per_machine * all.chips_per_machine;
    if (at - first < there) return next * all.chips_per_rack + (at - first);
    if (machine < there) return next * all.chips_per_rack + machine;
    towards = (there - 1) / all.chips_per_machine * all.chips_per_machine;  // the last machine that has a peer
  }
  return first + next_on_ladder(here, here > all.chips_per_machine && here % 2 == 0, at - first, towards);
}

[[nodiscard]] constexpr std::size_t hops(const chip_system& all, std::size_t from, std::size_t to) {
  std::size_t count = 0;
  for (; from != to; ++count) from = next_hop(all, from, to);
  return count;
}

/// The time of a message's way, whatever its size.
[[nodiscard]] constexpr seconds way_time(const chip_system& all, std::size_t from, std::size_t to) {
  std::size_t on_ladders = 0, by_gateways = 0;
  while (from != to) {
    const std::size_t next = next_hop(all, from, to);
    (rack_of(all, next) == rack_of(all, from) ? on_ladders : by_gateways) += 1;
    from = next;
  }
  return all.hop * static_cast<double>(on_ladders) + all.gateway_hop * static_cast<double>(by_gateways);
}

/// The directions of links that leave a chip: along the ladder, back along it, across.
inline constexpr std::size_t link_directions = 3;
/// The directions of gateway links that leave a machine: to the next rack, to the one before.
inline constexpr std::size_t gateway_directions = 2;

/// Links of chips, one direction after the other, then those of machines.
[[nodiscard]] constexpr std::size_t link_count(const chip_system& all) {
  return all.chips * link_directions + (racks(all) > 1 ? machines(all) * gateway_directions : 0);
}

[[nodiscard]] constexpr bool is_gateway(const chip_system& all, std::size_t link) { return link >= all.chips * link_directions; }

/// Bytes a second of a link's direction.
[[nodiscard]] constexpr double link_rate(const chip_system& all, std::size_t link) {
  return is_gateway(all, link) ? all.gateway_bandwidth : static_cast<double>(all.links_between_neighbours) * all.link_bandwidth;
}

/// The direction of the link from a chip to the next on a way.
[[nodiscard]] constexpr std::size_t link_between(const chip_system& all, std::size_t at, std::size_t next) {
  const std::size_t rack = rack_of(all, at), other = rack_of(all, next);
  if (rack != other) {
    const std::size_t machine = at / all.chips_per_machine;
    return all.chips * link_directions + machine * gateway_directions + (other == (rack + 1) % racks(all) ? 0 : 1);
  }
  const std::size_t here = at % all.chips_per_rack / 2, there = next % all.chips_per_rack / 2;
  const std::size_t rungs = (chips_in(all, rack) + 1) / 2;
  return at * link_directions + (here == there ? 2 : (there == (here + 1) % rungs ? 0 : 1));
}

/// Calls `visit(link)` for each direction of a link on the way between two chips.
template <class Visit>
constexpr void for_each_link(const chip_system& all, std::size_t from, std::size_t to, Visit visit) {
  for (std::size_t at = from; at != to;) {
    const std::size_t next = next_hop(all, at, to);
    visit(link_between(all, at, next));
    at = next;
  }
}

/// The racks in which a program of `chips` stands, and by which its messages go; all replicas are alike.
[[nodiscard]] constexpr chip_system racks_of(chip_system all, std::size_t chips) {
  if (chips <= all.chips_per_rack && all.chips > all.chips_per_rack) all.chips = all.chips_per_rack;
  return all;
}

/// Cycles before the first byte of transfers is on a link: a global sync, and what they take to begin.
[[nodiscard]] constexpr cycles before_transfers(const chip_system& all) {
  return all.chip.global_sync + cycles_in(all.transfer_start, all.chip.clock);
}

}  // namespace impl

/// Cycles of transfers that start together: a global sync, a fixed time, the longest way, and the time of the busiest link
/// direction.
template <class = void>
[[nodiscard]] constexpr cycles transfer_time(const chip_system& all, light_span<const chip_transfer> transfers) {
  light_vector<std::uint64_t> load(impl::link_count(all), 0);
  seconds longest{}, busiest{};
  bool any = false;
  for (const chip_transfer& t : transfers) {
    if (t.from == t.to) continue;
    any = true;
    impl::for_each_link(all, t.from, t.to, [&](std::size_t link) {
      load[link] += t.size.value;
      const seconds time{static_cast<double>(load[link]) / impl::link_rate(all, link)};
      busiest = busiest < time ? time : busiest;
    });
    const seconds way = impl::way_time(all, t.from, t.to);
    longest = longest < way ? way : longest;
  }
  if (!any) return {};
  return impl::before_transfers(all) + cycles_in(longest + busiest, all.chip.clock);
}

}  // namespace ipuflow::ipu
