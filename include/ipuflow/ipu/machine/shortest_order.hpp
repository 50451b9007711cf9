// SPDX-License-Identifier: BSL-1.0
// The places of a program's chips on the ladder, and the order that brings those beside each other which have to talk.
// Pipelines are chains, or rings if stages go round; the ladder has a path and a ring through all of its places.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/ipu/machine/links.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

/// The place of a chip of a program that has `chips` of them.
[[nodiscard]] constexpr std::size_t place_of(chip_order order, std::size_t chip, std::size_t chips) {
  const std::size_t rung = chip / 2;
  if (order == chip_order::snake) {
    const std::size_t last = (chips - 1) / 2;
    const bool alone = chips % 2 == 1 && last % 2 == 1;  // the last chip has its rung for itself: on the first side
    return 2 * rung + (chip % 2 + rung % 2 + (alone ? 1 : 0)) % 2;
  }
  if (order == chip_order::hoof) return chip < chips / 2 ? 2 * (chips / 2 - 1 - chip) + 1 : 2 * (chip - chips / 2);
  return chip;
}

/// Links that the messages of a program's chips pass in all.
[[nodiscard]] constexpr std::size_t total_hops(const chip_system& all, chip_order order, light_span<const chip_transfer> messages,
                                               std::size_t chips) {
  std::size_t count = 0;
  for (const chip_transfer& m : messages) count += hops(all, place_of(order, m.from, chips), place_of(order, m.to, chips));
  return count;
}

}  // namespace impl

/// The order with the fewest hops, the simplest one among equals.
[[nodiscard]] constexpr chip_order shortest_order(const chip_system& all, light_span<const chip_transfer> messages, std::size_t chips) {
  chip_order best = chip_order::zigzag;
  for (const chip_order order : {chip_order::snake, chip_order::hoof}) {
    if (impl::total_hops(all, order, messages, chips) < impl::total_hops(all, best, messages, chips)) best = order;
  }
  return best;
}

}  // namespace ipuflow::ipu
