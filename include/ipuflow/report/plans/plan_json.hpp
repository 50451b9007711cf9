// SPDX-License-Identifier: BSL-1.0
// A prediction as one JSON object: the configuration with all its fields, the step by use, each chip's fullest tile by use, and
// whether it fits. Keys are the names of fields; uses are keys as they are named, with _ for other characters.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/report/drawing/json_members.hpp>
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/plans/plan_text.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report {

namespace impl {

/// The name of a use as a key.
template <class = void>
[[nodiscard]] std::string key_of(std::string_view name) {
  std::string key(name);
  for (char& c : key) c = (c >= 'a' && c <= 'z') ? c : '_';
  return key;
}

template <class = void>
[[nodiscard]] std::string json_of(const plan::configuration& c) {
  const auto share = [](double s) { return math::is_finite(s) ? shortest(s) : std::string{"null"}; };
  json_members of;
  of.put("cuts", json_list(c.cuts, [](std::size_t cut) { return std::to_string(cut); }))
      .add("schedule", c.schedule)
      .add("run_for", c.run_for == mode::training ? "training" : "inference")
      .add("ipus", c.ipus)
      .add("replicas", c.replicas)
      .add("micro_batch", c.micro_batch)
      .add("accumulation", c.accumulation)
      .add("device_iterations", c.device_iterations)
      .add("precision", name_of(c.precision))
      .add("bytes_in", c.bytes_in)
      .put("recompute", json_list(stages_in(c.recompute, c.cuts.size() + 1), [](std::size_t s) { return std::to_string(s); }))
      .add("half_partials", c.half_partials)
      .add("limits_gradients", c.limits_gradients)
      .add("automatic_loss_scale", c.automatic_loss_scale)
      .add("optimiser_off_chip", c.optimiser_off_chip)
      .add("weights_off_chip", c.weights_off_chip)
      .add("accumulators_off_chip", c.accumulators_off_chip)
      .add("activations_off_chip", c.activations_off_chip)
      .add("shard_optimiser", c.shard_optimiser)
      .add("shard_gradients", c.shard_gradients)
      .add("shard_weights", c.shard_weights)
      .add("io_tiles", c.io_tiles)
      .add("waits_for_neighbours", c.waits_for_neighbours)
      .add("prefetch", c.prefetch)
      .put("memory_proportion", c.memory_proportion.count == 1 ? share(c.memory_proportion.of(0)) : json_list(c.memory_proportion.given(), share))
      .add("host_time", c.host_time.value)
      .add("asynchronous_loading", c.asynchronous_loading)
      .add("call_time", c.call_time.value);
  return of.text();
}

template <class = void>
[[nodiscard]] std::string json_of_chip(const plan::prediction& p, std::size_t chip) {
  const plan::chip_memory& m = p.memory[chip];
  json_members uses, of;
  for (std::size_t u = 0; u < plan::memory_uses; ++u) uses.add(key_of(name_of(static_cast<plan::memory_use>(u))), m.bytes.by_use[u]);
  of.add("busy", p.busy[chip].value)
      .add("from_host", p.from_host[chip])
      .add("to_host", p.to_host[chip])
      .add("fullest_tile", m.tile)
      .add("bytes", m.bytes.total())
      .put("bytes_by_use", uses.text());
  return of.text();
}

}  // namespace impl

/// A plan with what was chosen for it.
template <class = void>
[[nodiscard]] std::string plan_json(const plan::prediction& p, const plan::configuration& c, const plan_names& names = {}) {
  impl::json_members uses, of;
  for (std::size_t u = 0; u < plan::time_uses; ++u) uses.add(impl::key_of(name_of(static_cast<plan::time_use>(u))), p.by_use[u].value);
  std::string chips = "[";
  for (std::size_t chip = 0; chip < p.memory.size(); ++chip) chips.append(chip == 0 ? "" : ",") += impl::json_of_chip(p, chip);
  const plan::fits_fault wrong = plan::verify_fits(p, names.headroom);
  const std::string errors = impl::json_list(known_errors, [](const known_error& e) {
    return impl::json_members{}.add("of", e.of).add("rows", e.rows).add("median", e.median).add("worst", e.worst).add("row", e.row).text();
  });
  of.add("network", names.network)
      .add("chip", names.chip)
      .put("stages", impl::json_list(names.stages, [](const std::string& s) { return json_text(s); }))
      .put("configuration", impl::json_of(c))
      .add("samples_per_second", p.samples_per_second())
      .add("samples", p.samples)
      .add("cycles", p.total.value)
      .add("seconds", p.time().value)
      .put("cycles_by_use", uses.text())
      .add("bound", name_of(p.bound()))
      .add("busiest", p.busiest)
      .put("chips", chips + "]")
      .put("known_errors", errors)
      .add("tile_memory", p.tile_memory.value)
      .add("fits", !wrong);
  if (wrong) of.add("refused", sentence(wrong).view());
  return of.text();
}

}  // namespace ipuflow::report
