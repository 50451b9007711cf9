// SPDX-License-Identifier: BSL-1.0
// What the planner says beyond the plan that was asked for: the changes that would help it, and the fastest configurations of its chips.
#pragma once

#include <ipuflow/plan/predict/advice.hpp>
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/report/plans/plan_json.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace pipeline_planner {

using namespace ipuflow;

inline std::string advice_text(const std::vector<plan::advice>& found) {
  if (found.empty()) return "\nNo change of one choice helps.\n";
  report::text_table t({"Changes that help, best first", "samples/s", "times", "fullest tile, bytes", "fits"});
  for (const plan::advice& a : found) {
    char times[40];
    std::snprintf(times, sizeof times, "%.2f", a.speedup);
    std::string more = std::to_string(a.bytes);
    if (a.bytes >= 0) more.insert(0, 1, '+');
    t.row({a.change, std::to_string(static_cast<std::uint64_t>(a.then.samples_per_second())), times, std::move(more), a.fits ? "yes" : "no"});
  }
  return "\n" + t.text(120);
}

/// `names_of(configuration)`: what a reader of its plan is told by name.
template <class NamesOf>
std::string advice_json(const std::vector<plan::advice>& found, const NamesOf& names_of) {
  std::string list;
  for (const plan::advice& a : found) {
    list += list.empty() ? "" : ",";
    list += "{\"change\":" + report::json_text(a.change) + ",\"plan\":" + report::plan_json(a.then, a.with, names_of(a.with)) + "}";
  }
  return ",\"advice\":[" + list + "]";
}

/// All configurations of as many chips and samples to an update as this one has: divided into replicas in each way, by its schedule and
/// each of these, which are others where chips have several stages, with micro-batches from a quarter to four times as large.
inline plan::choices choices_like(const plan::configuration& c, std::size_t blocks, std::size_t stages_per_chip, double headroom) {
  plan::choices of{.like = c,
                   .chips = c.chips(),
                   .batch = c.micro_batch * c.accumulation * c.replicas,
                   .ipus = {},
                   .stages_per_ipu = {stages_per_chip},
                   .schedules = {"1f1b", "grouped", "popart", "zb1p"},
                   .micro_batches = {},
                   .precisions = {c.precision},
                   .optimiser_off_chip = {c.optimiser_off_chip},
                   .io_tiles = {c.io_tiles},
                   .memory_proportions = {c.memory_proportion},
                   .io_tiles_of_best = {32},
                   .headroom = headroom};
  of.like.cuts.clear();
  for (std::size_t ipus = 1; ipus <= of.chips && ipus <= blocks; ++ipus) {
    if (of.chips % ipus == 0) of.ipus.push_back(ipus);
  }
  if (stages_per_chip > 1) of.schedules = {"interleaved_1f1b", "grouped", "zbv"};
  if (c.run_for == mode::inference) of.schedules = {"inference", "grouped"}, of.recompute = {plan::recomputing::as_configured};
  if (std::find(of.schedules.begin(), of.schedules.end(), c.schedule) == of.schedules.end()) of.schedules.push_back(c.schedule);
  std::size_t samples = c.micro_batch;
  for (int halved = 0; halved < 2 && samples % 2 == 0; ++halved) samples /= 2;
  for (; samples <= 4 * c.micro_batch && of.batch % samples == 0; samples *= 2) of.micro_batches.push_back(samples);
  return of;
}

inline std::string best_text(const plan::best_found& found) {
  if (found.best.empty())
    return "\nNone of " + std::to_string(found.planned) + " configurations fits these chips; give --best more chips, fewer samples in a micro-batch, or less --headroom.\n";
  report::text_table t({"Fastest that fit", "samples/s", "chips", "stages", "replicas", "micro-batch", "accumulation", "I/O tiles", "recomputed stages"});
  for (const plan::ranked& r : found.best) {
    const auto number = [](std::size_t n) { return std::to_string(n); };
    t.row({r.with.ipus == 1 ? "one stage" : r.with.schedule, number(static_cast<std::size_t>(r.then.samples_per_second())), number(r.with.ipus),
           number(r.with.cuts.size() + 1), number(r.with.replicas), number(r.with.micro_batch), number(r.with.accumulation),
           number(r.with.io_tiles) + (r.with.waits_for_neighbours ? ", neighbours" : ""), report::recomputed_text(r.with)});
  }
  std::string counts = std::to_string(found.planned) + " configurations, of which " + std::to_string(found.fit) + " fit and " + std::to_string(found.refused) + " are none";
  if (found.slower > 0) counts += "; " + std::to_string(found.slower) + " are slower than these in any stages";
  return "\n" + counts + "\n" + t.text(120);
}

template <class NamesOf>
std::string best_json(const plan::best_found& found, const NamesOf& names_of) {
  std::string list;
  for (const plan::ranked& r : found.best) list += (list.empty() ? "" : ",") + report::plan_json(r.then, r.with, names_of(r.with));
  return ",\"planned\":" + std::to_string(found.planned) + ",\"fit\":" + std::to_string(found.fit) + ",\"refused\":" + std::to_string(found.refused) + ",\"slower\":" + std::to_string(found.slower) + ",\"best\":[" + list + "]";
}

}  // namespace pipeline_planner
