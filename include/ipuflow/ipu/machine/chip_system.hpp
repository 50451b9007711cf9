// SPDX-License-Identifier: BSL-1.0
// Chips put together: racks of up to 64 on a ladder of pairs that is closed to a ring, with links between neighbours, a host
// port, two gateway links and streaming memory for each machine of four; gateways join racks to a ring of racks. Link speeds do
// not follow the chip's clock. Sources: [M2K] IPU-M2000 and [BOW] Bow-2000 datasheets, [GWL] the vendor's note on gateway links,
// [HC33], [PL] poplibs, [EX] the vendor's examples; uncertainty: docs/chips.md.
#pragma once

#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/machine/chip_order.hpp>

#include <cstddef>

namespace ipuflow::ipu {

/// Chips, their links and their hosts.
struct chip_system {
  architecture chip;  ///< each of them
  std::size_t chips = 1;  ///< in all
  std::size_t chips_per_machine = 4;  ///< that share a host port and streaming memory [M2K, BOW]
  std::size_t chips_per_rack = 64;  ///< on one ladder; more chips than that are in several racks [M2K, BOW]
  std::size_t links_between_neighbours = 2;  ///< links between two chips side by side; 8 leave a machine: 2 chips x 2, up and down [M2K, D]
  double link_bandwidth = 16e9;  ///< bytes a second and direction of a link [HC33, D: 320 GB/s / 10 / 2]
  seconds hop{15e-9};  ///< time of a message from chip to chip over one link [HC33]
  seconds transfer_start{1e-6};  ///< fixed time of transfers between chips, beside sync, hops and bytes; assumed, 0 to 2.5e-6
  seconds ring_round{3e-6};  ///< fixed time of a round of a ring, beside hops and bytes [D from the sizes at which PL changes rings]
  double gateway_bandwidth = 12.5e9;  ///< bytes a second and direction of each of a machine's two gateway links, 100 GbE [M2K, BOW]
  seconds gateway_hop{2e-6};  ///< time of a message from rack to rack over one gateway link; assumed, 1e-6 to 1e-5
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

/// Racks that the chips are in; the last one may be filled in part.
[[nodiscard]] constexpr std::size_t racks(const chip_system& all) {
  return divided_up(cycles{all.chips}, all.chips_per_rack).value;
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

enum class system_wrong : unsigned char { nothing, no_chips, too_many, no_links, no_machine, no_bandwidth, no_rack, no_gateway };
using system_fault = fault<system_wrong>;

template <class = void>
constexpr const char* wording(system_wrong wrong) {
  switch (wrong) {
    case system_wrong::nothing:
      break;
    case system_wrong::no_chips:
      return "ipuflow: a system has no chips; give it 1 to {limit}";
    case system_wrong::too_many:
      return "ipuflow: a system of {got} chip{s} is more than racks are joined for; give it at most {limit}";
    case system_wrong::no_links:
      return "ipuflow: the chips of a system have no links to their neighbours; give at least one and its bandwidth";
    case system_wrong::no_machine:
      return "ipuflow: a machine of a system holds no chips; set chips_per_machine to at least 1";
    case system_wrong::no_bandwidth:
      return "ipuflow: a system has no host or streaming bandwidth; give bytes a second for both";
    case system_wrong::no_rack:
      return "ipuflow: a rack of a system has room for {got} chip{s}, in machines of {limit}; make chips_per_rack a multiple of chips_per_machine";
    case system_wrong::no_gateway:
      return "ipuflow: a system of {got} chip{s} in racks of {limit} has no gateway links between them; give gateway_bandwidth, or fewer chips";
  }
  return "";
}

constexpr message_text sentence(const system_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

inline constexpr std::size_t most_chips = 1024;

constexpr system_fault verify(const chip_system& all) {
  using wrong = system_wrong;
  if (all.chips == 0) return {wrong::no_chips, 0, most_chips};
  if (all.chips > most_chips) return {wrong::too_many, all.chips, most_chips};
  if (all.chips > 1 && (all.links_between_neighbours == 0 || !(all.link_bandwidth > 0)))
    return {wrong::no_links, 0, 1};
  if (all.chips_per_machine == 0) return {wrong::no_machine, 0, 1};
  if (all.chips_per_rack == 0 || all.chips_per_rack % all.chips_per_machine != 0)
    return {wrong::no_rack, all.chips_per_rack, all.chips_per_machine};
  if (all.chips > all.chips_per_rack && !(all.gateway_bandwidth > 0)) return {wrong::no_gateway, all.chips, all.chips_per_rack};
  if (!(host_rate(all) > 0) || !(all.streaming_bandwidth > 0)) return {wrong::no_bandwidth, 0, 1};
  return {};
}

}  // namespace ipuflow::ipu
