// SPDX-License-Identifier: BSL-1.0
// The needs of a step beside the chips that do it: places on I/O tiles, links between chips, the ports of hosts and of
// streaming memory. They follow from the step alone, and are worked out once for all times that it runs.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/step_cost.hpp>
#include <ipuflow/ipu/engine/box_times.hpp>
#include <ipuflow/ipu/engine/link_times.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

struct leaf_needs {
  box_uses boxes{};
  bool together = false;             ///< its chips begin and end together
  light_vector<std::size_t> links{};  ///< that it takes, ports included
  std::uint64_t link_time = 0;
  std::uint64_t link_wait = 0;       ///< before it takes them
  phase of = phase::exchange;        ///< what those wait for that wait for it
};

/// Transfers from and to the outside come one after the other at the port that they go through.
template <class = void>
void add_ports(const chip_system& all, const graph& g, const step& s, const leaf_cost& cost, const link_times& links, leaf_needs& made) {
  const bool host = s.is<stream_in>() || s.is<stream_out>();
  if (!host && !s.is<load>() && !s.is<store>()) return;
  made.of = host ? phase::host : phase::streaming;
  made.link_time = cost.elapsed.value;
  for (const auto& [chip, p] : cost.chips) {
    const std::size_t place = place_of(all.order, chip, g.chips());
    made.links.push_back(host ? links.host_port(place) : links.streaming_port(place));
  }
}

template <class = void>
[[nodiscard]] leaf_needs needs_of(const chip_system& all, const graph& g, const step& s, const leaf_cost& cost, const box_times& boxes,
                                  const link_times& links) {
  leaf_needs made{.boxes = boxes.uses_of(s)};
  for (const chip_transfer& t : cost.transfers)
    for_each_link(all, t.from, t.to, [&](std::size_t link) { made.links.push_back(link); });
  if (!cost.transfers.empty()) {
    made.link_wait = before_transfers(all).value;  // in which no link is in use
    made.link_time = transfer_time(all, cost.transfers).value - made.link_wait;
  }
  made.together = !cost.transfers.empty() || s.is<synchronise>();
  add_ports(all, g, s, cost, links, made);
  return made;
}

}  // namespace ipuflow::ipu::impl
