// SPDX-License-Identifier: BSL-1.0
// The back end of simulated chips as text: all of its options, and of the system the chip and how many there are.
#pragma once

#include <ipuflow/core/field_text.hpp>
#include <ipuflow/train/chips/back_end.hpp>

#include <string>

namespace ipuflow::on {

template <class = void>
[[nodiscard]] std::string text_of(const chips& o) {
  const auto& [system, synthetic, prefetch, host_time, host_times, asynchronous_loading, call_time, io_tiles, sync, activations, weights,
               optimiser_state, accumulators, memory_proportion, merge_collectives, half_partials, share_code, allow_out_of_memory, checked] = o;
  const std::string chip{system.chip.name.view()};
  std::string times = "{";
  for (const seconds& t : host_times) times.append(times.size() > 1 ? ", " : "") += std::to_string(t.value);
  std::string shares;
  for (const double share : memory_proportion.given()) shares.append(shares.empty() ? "" : ", ") += field_text::shown(share);
  return field_text{"on::chips"}
      .add("system", chip.empty() ? std::string("{}") : "ipu::pod(ipu::" + chip + ", " + std::to_string(system.chips) + ")")
      .add("synthetic", synthetic)
      .add("prefetch", prefetch)
      .add("host_time", host_time)
      .add("host_times", times + "}")
      .add("asynchronous_loading", asynchronous_loading)
      .add("call_time", call_time)
      .add("io_tiles", io_tiles)
      .add("sync", sync)
      .add("activations", activations)
      .add("weights", weights)
      .add("optimiser_state", optimiser_state)
      .add("accumulators", accumulators)
      .add("memory_proportion", memory_proportion.count == 1 ? shares : "{" + shares + "}")
      .add("merge_collectives", merge_collectives)
      .add("half_partials", half_partials)
      .add("share_code", share_code)
      .add("allow_out_of_memory", allow_out_of_memory)
      .add("checked", checked)
      .text();
}

}  // namespace ipuflow::on
