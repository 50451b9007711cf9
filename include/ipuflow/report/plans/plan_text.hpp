// SPDX-License-Identifier: BSL-1.0
// A prediction as text: where its stages are, its speed, the time of a step by use, the fullest tile of each chip by use, and
// whether they fit. At most 100 characters wide but for the sentence of a plan that does not fit.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>
#include <ipuflow/report/plans/known_errors.hpp>
#include <ipuflow/report/schedules/time_text.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::report {

/// Names for a reader of a plan, which knows its parts by number.
struct plan_names {
  std::string network{};              ///< none: not said
  std::string chip{};                 ///< the kind of chip
  light_vector<std::string> stages{};  ///< the blocks of each stage
  double headroom = 0.05;             ///< part of each tile's memory that is to stay free
};

namespace impl {

/// The stages of a set, of as many as there are.
template <class = void>
[[nodiscard]] light_vector<std::size_t> stages_in(const schedule::stage_set& of, std::size_t stages) {
  light_vector<std::size_t> made;
  for (std::size_t s = 0; s < stages; ++s) {
    if (of.has(s)) made.push_back(s);
  }
  return made;
}

}  // namespace impl

/// The stages that recompute, "0 2"; empty if none does.
template <class = void>
[[nodiscard]] std::string recomputed_text(const plan::configuration& c) {
  std::string text;
  for (const std::size_t s : impl::stages_in(c.recompute, c.cuts.size() + 1)) text.append(text.empty() ? "" : " ") += std::to_string(s);
  return text;
}

namespace impl {

/// "recomputation", if of all stages; "recomputation of stages 0 2"; nothing if of none, as in inference.
template <class = void>
[[nodiscard]] std::string recomputation_of(const plan::configuration& c) {
  const light_vector<std::size_t> stages = stages_in(c.recompute, c.cuts.size() + 1);
  if (stages.empty() || c.run_for == mode::inference) return {};
  if (stages.size() == c.cuts.size() + 1) return "recomputation";
  return (stages.size() == 1 ? "recomputation of stage " : "recomputation of stages ") + recomputed_text(c);
}

/// "a, b, c", of the choices that are made; those of training alone change nothing in inference, and are not said there.
template <class = void>
[[nodiscard]] std::string chosen_of(const plan::configuration& c) {
  const bool trains = c.run_for == mode::training;
  const std::pair<bool, const char*> all[] = {{c.bytes_in, "8-bit input"},
                                              {c.half_partials, "half partials"},
                                              {trains && c.limits_gradients, "limited gradients"},
                                              {trains && c.automatic_loss_scale, "automatic loss scale"},
                                              {trains && c.optimiser_off_chip, "optimiser off the chip"},
                                              {c.weights_off_chip, "weights off the chip"},
                                              {trains && c.accumulators_off_chip, "accumulators off the chip"},
                                              {trains && c.activations_off_chip, "activations off the chip"},
                                              {trains && c.shard_optimiser, "sharded optimiser"},
                                              {trains && c.shard_gradients, "sharded gradients"},
                                              {c.shard_weights, "sharded weights"},
                                              {c.asynchronous_loading, "asynchronous loading"}};
  std::string text = recomputation_of(c);
  for (const auto& [is_set, name] : all) {
    if (is_set) text.append(text.empty() ? "" : ", ") += name;
  }
  if (c.memory_proportion.count == 1) return text;
  text += text.empty() ? "memory proportions" : ", memory proportions";
  for (const double share : c.memory_proportion.given()) text += " " + shortest(share);
  return text;
}

template <class = void>
[[nodiscard]] std::string head_of(const plan::prediction& p, const plan::configuration& c, const plan_names& names) {
  const auto counted = [](std::size_t n, const char* of) { return with_commas(n) + " " + of + (n == 1 ? "" : "s"); };
  const bool trains = c.run_for == mode::training;
  std::string text = names.network;
  if (!text.empty()) text += ": ";
  if (!trains) text += "inference on ";
  text += counted(c.chips(), "chip");
  if (!names.chip.empty()) text += " " + names.chip;
  text += ", " + counted(c.replicas, "replica") + " of " + counted(c.cuts.size() + 1, "stage") + ", schedule " + c.schedule + ", precision " +
          std::string(name_of(c.precision)) + "\n" + counted(c.micro_batch, "sample") + " in a micro-batch, " +
          with_commas(c.accumulation) + (c.accumulation == 1 ? " micro-batch" : " micro-batches") + (trains ? " to an update, " : " in a run, ") +
          counted(c.device_iterations, trains ? "update" : "run") + " in a step: " + counted(p.samples, "sample") + "\n";
  if (const std::string chosen = chosen_of(c); !chosen.empty()) text += "With " + chosen + "\n";
  if (c.io_tiles > 0) text += counted(c.io_tiles, "I/O tile") + " on each chip" + (c.waits_for_neighbours ? ", chips wait for their neighbours alone\n" : "\n");
  for (std::size_t s = 0; s < names.stages.size(); ++s) text += joined("  stage ", std::to_string(s), ": ", names.stages[s], "\n");
  return text;
}

/// The time of a step by use; uses that take none are left out.
template <class = void>
[[nodiscard]] std::string time_by_use(const plan::prediction& p) {
  text_table t({"", "cycles", "%"});
  for (std::size_t u = 0; u < plan::time_uses; ++u) {
    if (p.by_use[u].value > 0) t.row({std::string(name_of(static_cast<plan::time_use>(u))), with_commas(p.by_use[u].value), percent(p.by_use[u].value, p.total.value)});
  }
  t.row({"a step", with_commas(p.total.value), "100.0"});
  return t.text();
}

/// Each chip of a replica: its work, its streams, and the bytes of its fullest tile by use.
template <class = void>
[[nodiscard]] std::string chips_of_plan(const plan::prediction& p) {
  light_vector<std::string> head{""};
  for (std::size_t c = 0; c < p.memory.size(); ++c) head.push_back(joined("chip ", std::to_string(c)));
  head.push_back("error %");
  text_table t(std::move(head));
  const auto row = [&](const char* name, const auto& of, const std::string& error = "") {
    light_vector<std::string> cells{name};
    for (std::size_t c = 0; c < p.memory.size(); ++c) cells.push_back(of(c));
    cells.push_back(error);
    t.row(std::move(cells));
  };
  row("at work, % of a step", [&](std::size_t c) { return percent(p.busy[c].value, p.total.value); });
  row("bytes from the host", [&](std::size_t c) { return with_commas(p.from_host[c]); });
  row("bytes to the host", [&](std::size_t c) { return with_commas(p.to_host[c]); });
  row("fullest tile", [&](std::size_t c) { return std::to_string(p.memory[c].tile); });
  for (std::size_t u = 0; u < plan::memory_uses; ++u) {
    bool used = false;
    for (const plan::chip_memory& m : p.memory) used = used || m.bytes.by_use[u] > 0;
    const std::string name = joined("  ", std::string(name_of(static_cast<plan::memory_use>(u))));
    const std::string error = with_digits(error_of(class_of(static_cast<plan::memory_use>(u))).median, 1);
    if (used) row(name.c_str(), [&](std::size_t c) { return with_commas(p.memory[c].bytes.by_use[u]); }, error);
  }
  row("  together", [&](std::size_t c) { return with_commas(p.memory[c].bytes.total()); });
  row("  % of a tile", [&](std::size_t c) { return percent(p.memory[c].bytes.total(), std::uint64_t{p.tile_memory.value}); });
  return t.text();
}

/// The errors of such predictions, of published runs.
template <class = void>
[[nodiscard]] std::string errors_of_times(mode of) {
  std::string text = of == mode::training ? "Such times" : "Such times of training";
  text += " are off by (median; worst published):";
  const char* before = " ";
  for (const measured_class c : {measured_class::convolutional, measured_class::transformers, measured_class::perceptrons}) {
    const known_error& e = error_of(c);
    text += joined(before, std::string(e.of), " ", with_digits(e.median, 1), "; ", with_digits(e.worst < 0 ? -e.worst : e.worst, 1), " %");
    before = c == measured_class::convolutional ? ",\n" : ", ";
  }
  return text + "\n";
}

/// "Fits: ...", or the sentence of what does not.
template <class = void>
[[nodiscard]] std::string fits_of(const plan::prediction& p, double headroom) {
  if (const plan::fits_fault wrong = plan::verify_fits(p, headroom)) return joined(std::string(sentence(wrong).view()), "\n");
  if (p.memory.empty()) return "";
  const std::size_t chip = p.fullest();
  const std::uint64_t has = p.tile_memory.value, needs = p.memory[chip].bytes.total();
  return joined("Fits: the fullest tile, of chip ", std::to_string(chip), ", keeps ", percent(has - needs, has), " % of its ", with_commas(has),
                " bytes free.\n");
}

}  // namespace impl

/// A plan with what was chosen for it.
template <class = void>
[[nodiscard]] std::string plan_text(const plan::prediction& p, const plan::configuration& c, const plan_names& names = {}) {
  return impl::head_of(p, c, names) +
         impl::joined("\n", impl::with_digits(p.samples_per_second(), p.samples_per_second() < 100 ? 2 : 0), " samples/s, a step of ",
                      impl::short_time(p.time().value), ", bound by ", std::string(name_of(p.bound())), "\n", impl::errors_of_times(c.run_for), "\nTime of a step, as chip ",
                      std::to_string(p.busiest), " spends it\n", impl::time_by_use(p), "\nChips of a replica, the bytes of their fullest tiles, and the median error of such bytes\n",
                      impl::chips_of_plan(p), "\n", impl::fits_of(p, names.headroom));
}

}  // namespace ipuflow::report
