// SPDX-License-Identifier: BSL-1.0
// Chips put together: up to 64 on a ladder of pairs that is closed to a ring, with links between neighbours, a host
// link and streaming memory for each machine of four. Link speeds do not follow the chip's clock. Sources: [M2K]
// IPU-M2000 and [BOW] Bow-2000 datasheets, [HC33], [EX] the vendor's examples; uncertainty: docs/chips.md.
#pragma once

#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/machine/chip_order.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace ipuflow::ipu {

/// Chips, their links and their hosts.
struct chip_system {
  architecture chip;  ///< each of them
  std::size_t chips = 1;  ///< in all
  std::size_t chips_per_machine = 4;  ///< that share a host port and streaming memory [M2K, BOW]
  std::size_t links_between_neighbours = 2;  ///< links between two chips side by side; 8 leave a machine: 2 chips x 2, up and down [M2K, D]
  double link_bandwidth = 16e9;  ///< bytes a second and direction of a link [HC33, D: 320 GB/s / 10 / 2]
  seconds hop{15e-9};  ///< time of a message from chip to chip over one link [HC33]
  double host_bandwidth = 12.5e9;  ///< bytes a second of a machine's one 100 GbE port [M2K, D]
  double chip_host_bandwidth = 5.5e9;  ///< bytes a second of one chip through that port [EX: row S1]
  double streaming_bandwidth = 12.75e9;  ///< bytes a second of a machine's DDR4, fitted to row P; its two modules have 38.4e9 [M2K, D]
  bytes streaming_memory = bytes{256} * (1ull << 30);  ///< bytes of a machine [M2K]
  chip_order order = chip_order::automatic;  ///< the places that a program's chips take

  friend constexpr bool operator==(const chip_system&, const chip_system&) = default;
};

[[nodiscard]] constexpr chip_system pod(const architecture& chip, std::size_t chips) {
  chip_system made;
  made.chip = chip;
  made.chips = chips;
  return made;
}

[[nodiscard]] constexpr std::size_t machines(const chip_system& all) {
  return divided_up(cycles{all.chips}, all.chips_per_machine).value;
}

/// Chips that share a machine's host link and streaming memory when all of them use it.
[[nodiscard]] constexpr std::size_t sharing_a_machine(const chip_system& all) {
  return all.chips < all.chips_per_machine ? all.chips : all.chips_per_machine;
}

/// Bytes a second between a chip and the host while some chips of its machine do the same.
[[nodiscard]] constexpr double host_rate(const chip_system& all, std::size_t chips_at_once = 1) {
  const double share = all.host_bandwidth / static_cast<double>(chips_at_once);
  return share < all.chip_host_bandwidth ? share : all.chip_host_bandwidth;
}

[[nodiscard]] constexpr cycles host_time(const chip_system& all, bytes of_each_chip, std::size_t chips_at_once = 1) {
  return cycles_in({static_cast<double>(of_each_chip.value) / host_rate(all, chips_at_once)}, all.chip.clock);
}

namespace impl {

[[nodiscard]] constexpr cycles streaming_time(const chip_system& all, bytes of_each_chip, std::size_t chips_at_once = 1) {
  const double rate = all.streaming_bandwidth / static_cast<double>(chips_at_once);
  return cycles_in({static_cast<double>(of_each_chip.value) / rate}, all.chip.clock);
}

}  // namespace impl

/// Bytes that one chip sends another.
struct chip_transfer {
  std::size_t from = 0;
  std::size_t to = 0;
  bytes size;

  friend constexpr bool operator==(const chip_transfer&, const chip_transfer&) = default;
};

namespace impl {

/// The chip after `at` on the way to `to`: along the ladder (the shorter way round the ring), then across it.
[[nodiscard]] constexpr std::size_t next_hop(const chip_system& all, std::size_t at, std::size_t to) {
  const std::size_t rungs = (all.chips + 1) / 2;
  const std::size_t here = at / 2;
  const std::size_t there = to / 2;
  if (here == there) return to;
  const std::size_t up = (there + rungs - here) % rungs;
  const bool closed = all.chips > all.chips_per_machine && all.chips % 2 == 0;
  const bool forward = closed ? 2 * up <= rungs : there > here;
  const std::size_t rung = forward ? (here + 1) % rungs : (here + rungs - 1) % rungs;
  const std::size_t next = 2 * rung + at % 2;
  return next < all.chips ? next : at - 1;  // the last rung of an odd ladder has one chip
}

[[nodiscard]] constexpr std::size_t hops(const chip_system& all, std::size_t from, std::size_t to) {
  std::size_t count = 0;
  for (; from != to; ++count) from = next_hop(all, from, to);
  return count;
}

/// The directions of links that leave a chip: along the ladder, back along it, across.
inline constexpr std::size_t link_directions = 3;

/// Calls `visit(link)` for each direction of a link on the way between two chips, numbered from chip 0 on.
template <class Visit>
constexpr void for_each_link(const chip_system& all, std::size_t from, std::size_t to, Visit visit) {
  for (std::size_t at = from; at != to;) {
    const std::size_t next = next_hop(all, at, to);
    const std::size_t direction = next / 2 == at / 2 ? 2 : (next / 2 == (at / 2 + 1) % ((all.chips + 1) / 2) ? 0 : 1);
    visit(at * link_directions + direction);
    at = next;
  }
}

}  // namespace impl

/// Cycles of transfers that start together: a global sync, the longest way, and the time of the busiest link direction.
template <class = void>
[[nodiscard]] constexpr cycles transfer_time(const chip_system& all, std::span<const chip_transfer> transfers) {
  std::vector<std::uint64_t> load(all.chips * impl::link_directions, 0);
  std::size_t longest = 0;
  std::uint64_t busiest = 0;
  for (const chip_transfer& t : transfers) {
    std::size_t way = 0;
    impl::for_each_link(all, t.from, t.to, [&](std::size_t link) {
      load[link] += t.size.value;
      busiest = load[link] > busiest ? load[link] : busiest;
      ++way;
    });
    longest = way > longest ? way : longest;
  }
  if (longest == 0) return {};
  const double rate = static_cast<double>(all.links_between_neighbours) * all.link_bandwidth;
  const seconds time = all.hop * static_cast<double>(longest) + seconds{static_cast<double>(busiest) / rate};
  return all.chip.global_sync + cycles_in(time, all.chip.clock);
}

enum class system_wrong : unsigned char { nothing, no_chips, too_many, no_links, no_machine, no_bandwidth };
using system_fault = fault<system_wrong>;

template <class = void>
constexpr message_text sentence(const system_fault& f) {
  switch (f.kind) {
    case system_wrong::nothing:
      break;
    case system_wrong::no_chips:
      return words("ipuflow: a system has no chips; give it 1 to ", f.limit);
    case system_wrong::too_many:
      return words("ipuflow: a system of ", f.got, " chips is more than the ladder holds; give it at most ",
                   f.limit);
    case system_wrong::no_links:
      return words(
          "ipuflow: the chips of a system have no links to their neighbours; give at least one and its bandwidth");
    case system_wrong::no_machine:
      return words("ipuflow: a machine of a system holds no chips; set chips_per_machine to at least 1");
    case system_wrong::no_bandwidth:
      return words("ipuflow: a system has no host or streaming bandwidth; give bytes a second for both");
  }
  return {};
}

inline constexpr std::size_t most_chips = 64;

constexpr system_fault verify(const chip_system& all) {
  using wrong = system_wrong;
  if (all.chips == 0) return {wrong::no_chips, 0, most_chips};
  if (all.chips > most_chips) return {wrong::too_many, all.chips, most_chips};
  if (all.chips > 1 && (all.links_between_neighbours == 0 || !(all.link_bandwidth > 0)))
    return {wrong::no_links, 0, 1};
  if (all.chips_per_machine == 0) return {wrong::no_machine, 0, 1};
  if (!(host_rate(all) > 0) || !(all.streaming_bandwidth > 0)) return {wrong::no_bandwidth, 0, 1};
  return {};
}

}  // namespace ipuflow::ipu
