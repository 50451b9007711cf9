// SPDX-License-Identifier: BSL-1.0
// Advice on a plan: every change of one choice that the library knows, planned again, and those that help, best first. A plan that does
// not fit is helped by what makes it fit or takes least too much; one that fits, by what makes it faster and still fits.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/plan/predict/moved_blocks.hpp>
#include <ipuflow/plan/predict/prediction.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::plan {

/// Options of advice.
struct advice_options {
  double headroom = 0.05;       ///< of each tile's memory, to be kept free
  double least_gain = 0.01;     ///< of the samples a second: less is no advice
  bool keeps_batch = true;      ///< samples between two updates stay what they are
  bool keeps_chips = true;      ///< no more of them
  bool keeps_numbers = false;   ///< precision stays
};

/// A change of a configuration and what follows from it.
struct advice {
  std::string change{};        ///< in words
  configuration with{};
  prediction then{};
  bool fits = false;
  double speedup = 1;          ///< of samples a second
  std::int64_t bytes = 0;      ///< that the fullest tile needs more
};

namespace impl {

/// A configuration with one choice changed.
struct changed {
  std::string what{};
  configuration to{};
};

/// Stages but one of them.
[[nodiscard]] constexpr schedule::stage_set without(const schedule::stage_set& of, std::size_t stage, std::size_t stages) {
  schedule::stage_set made;
  for (std::size_t s = 0; s < stages; ++s) {
    if (s != stage && of.has(s)) made.add(s);
  }
  return made;
}

/// Calls `add(what, change)` for all changes that may help a configuration: what only saves memory is for one that does not fit, and
/// what only takes more of it for one that does.
template <class Add>
void each_change(const configuration& c, const advice_options& o, const prediction& now, const Add& add) {
  const bool fits = !verify_fits(now, o.headroom), trains = c.run_for == mode::training;
  const auto turn = [&](const std::string& what, bool configuration::*of, bool to = true) {
    if (c.*of != to) add(what, [of, to](configuration& n) { n.*of = to; });
  };
  const auto keep = [&](const std::string& what, bool configuration::*off_chip) {
    if (c.*off_chip)
      turn(what + " on the chip", off_chip, false);
    else if (!fits)
      turn(what + " off the chip", off_chip);
  };
  const auto share = [&](const std::string& what, bool configuration::*of) {
    turn(what + " shared out over replicas", of);
    if (fits) turn(what + " whole on each replica", of, false);
  };
  const auto number = [](std::size_t n) { return std::to_string(n); };
  if (!o.keeps_numbers) {
    if (c.precision != numbers::f16_16) add("data and weights in half precision (16.16)", [](configuration& n) { n.precision = numbers::f16_16; });
    if (c.precision == numbers::f32_32) add("data in half precision (16.32)", [](configuration& n) { n.precision = numbers::f16_32; });
    if (c.precision != numbers::f32_32) turn("partial sums in half precision", &configuration::half_partials);
  }
  if (trains) {
    if (!fits && !c.recompute.all) add("recomputation: stages keep what entered and make the rest again", [](configuration& n) { n.recompute = schedule::all_stages; });
    if (fits && !c.recompute.empty()) add("no recomputation: stages keep their activations", [](configuration& n) { n.recompute = {}; });
    keep("the optimiser's state", &configuration::optimiser_off_chip);
    keep("waiting activations", &configuration::activations_off_chip);
    keep("sums of gradients", &configuration::accumulators_off_chip);
  }
  keep("weights", &configuration::weights_off_chip);
  if (trains && c.replicas > 1) {
    share("the optimiser's state", &configuration::shard_optimiser);
    share("sums of gradients", &configuration::shard_gradients);
    share("weights", &configuration::shard_weights);
  }
  if (c.micro_batch % 2 == 0) add("micro-batches of " + number(c.micro_batch / 2), [](configuration& n) { n.resize(n.micro_batch / 2, n.replicas), n.accumulation *= 2; });
  if (c.accumulation % 2 == 0) add("micro-batches of " + number(c.micro_batch * 2), [](configuration& n) { n.resize(2 * n.micro_batch, n.replicas), n.accumulation /= 2; });
  if (!o.keeps_batch) add(std::string(trains ? "accumulation of " : "micro-batches of a run: ") + number(2 * c.accumulation), [](configuration& n) { n.accumulation *= 2; });
  if (c.device_iterations < 16) add("device iterations: " + number(4 * c.device_iterations), [](configuration& n) { n.device_iterations *= 4; });
  turn("inputs as bytes, converted on tiles", &configuration::bytes_in);
  if (c.host_time > seconds{}) {
    const std::size_t more = c.prefetch == 0 ? configuration{}.prefetch : 2 * c.prefetch;
    add("prefetch of " + number(more) + " micro-batches", [more](configuration& n) { n.prefetch = more; });
    turn("asynchronous loading", &configuration::asynchronous_loading);
  }
  for (const std::size_t tiles : {std::size_t{0}, std::size_t{32}, std::size_t{64}}) {
    if (tiles != c.io_tiles) add((tiles == 0 ? "no" : number(tiles)) + " I/O tiles", [tiles](configuration& n) { n.io_tiles = tiles; });
  }
  if (c.ipus > 1 && !c.waits_for_neighbours) {
    const std::size_t tiles = c.io_tiles == 0 ? 32 : c.io_tiles;
    const std::string by = c.io_tiles == 0 ? number(tiles) + " I/O tiles, and " : "";
    add(by + "chips wait for their neighbours alone", [tiles](configuration& n) { n.io_tiles = tiles, n.waits_for_neighbours = true; });
  }
  turn("steps that all chips end together", &configuration::waits_for_neighbours, false);
  if (!fits && c.memory_proportion.largest() > 0.15) add("half the memory proportion", [](configuration& n) { n.memory_proportion /= 2; });
  if (fits && c.memory_proportion.largest() < 1) add("a memory proportion of 1", [](configuration& n) { n.memory_proportion = 1.0; });
  const auto run_by = [&](std::string_view name) {  // each refuses what it is not for
    if (c.ipus > 1 && c.schedule != name) add("schedule " + std::string(name), [name](configuration& n) { n.schedule = name; });
  };
  for (const std::string_view name : planned_schedules) run_by(name);
  if (!fits) run_by("sequential");  // no other keeps less
  if (!o.keeps_chips && !o.keeps_batch) add(number(2 * c.replicas) + " replicas", [](configuration& n) { n.resize(n.micro_batch, 2 * n.replicas); });
  if (!o.keeps_chips && o.keeps_batch && c.accumulation % 2 == 0)
    add(number(2 * c.replicas) + " replicas, each with half of the micro-batches", [](configuration& n) { n.resize(n.micro_batch, 2 * n.replicas), n.accumulation /= 2; });
  const std::size_t stages = c.cuts.size() + 1;
  for (std::size_t s = 0; trains && s < stages; ++s) {  // a chip that is too full keeps less of one stage, and one that works most makes less again
    if (fits && c.recompute.has(s) && stands_on(c, s, now.busiest))
      add("stage " + number(s) + " keeps its activations", [s, stages](configuration& n) { n.recompute = without(n.recompute, s, stages); });
    if (!fits && !c.recompute.has(s) && stages > 1 && stands_on(c, s, now.fullest()))
      add("recomputation of stage " + number(s), [s](configuration& n) { n.recompute.add(s); });
  }
  for (std::size_t i = 0; i < c.cuts.size(); ++i) {  // a block from the chip that works most, or has most, to its neighbours
    for (const std::size_t full : {now.busiest, now.fullest()}) {
      if (stands_on(c, i, full)) add("stage " + number(i) + " ends one block earlier", [i](configuration& n) { --n.cuts[i]; });
      if (stands_on(c, i + 1, full)) add("stage " + number(i + 1) + " begins one block later", [i](configuration& n) { ++n.cuts[i]; });
      if (now.busiest == now.fullest()) break;
    }
  }
}

}  // namespace impl

/// The changes that help a configuration, best first. `predict(configuration)` gives a prediction, and throws what it refuses: such a
/// change is no advice.
template <class Predict>
[[nodiscard]] light_vector<advice> advise(Predict&& predict, const configuration& c, const advice_options& o = {}) {
  throw_if(verify_headroom(o.headroom));
  const prediction now = predict(c);
  const bool fits = !verify_fits(now, o.headroom);
  const auto needs = [](const prediction& p) {  // none where nothing is known of memory
    return static_cast<std::int64_t>(p.memory.empty() ? 0 : p.memory[p.fullest()].bytes.total());
  };
  light_vector<advice> made;
  impl::each_change(c, o, now, [&](std::string what, const auto& change) {
    advice one{.change = std::move(what), .with = c};
    change(one.with);
    try {
      one.then = predict(std::as_const(one.with));
    } catch (const error&) {
      return;
    }
    one.fits = !verify_fits(one.then, o.headroom);
    one.speedup = one.then.samples_per_second() / now.samples_per_second();
    one.bytes = needs(one.then) - needs(now);
    const bool helps = fits ? one.fits && one.speedup >= 1 + o.least_gain : one.fits || one.bytes < 0;
    if (helps) made.push_back(std::move(one));
  });
  algorithms::sort(made.begin(), made.end(), [&](const advice& a, const advice& b) {
    if (a.fits != b.fits) return a.fits;
    if (a.fits && a.speedup != b.speedup) return a.speedup > b.speedup;
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.change < b.change;
  });
  return made;
}

/// The best advice taken again and again until none helps, or `most` times: the changes in their order.
template <class Predict>
[[nodiscard]] light_vector<advice> improve(Predict&& predict, configuration c, const advice_options& o = {}, std::size_t most = 16) {
  light_vector<advice> taken;
  while (taken.size() < most) {
    light_vector<advice> found = advise(predict, c, o);
    if (found.empty()) break;
    c = found.front().with;
    taken.push_back(std::move(found.front()));
  }
  return taken;
}

}  // namespace ipuflow::plan
