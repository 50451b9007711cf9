// SPDX-License-Identifier: BSL-1.0
// The half of the planner that is given a network and a configuration: it reads them off the command line, cuts the network, and says
// the plan.
#pragma once

#include <ipuflow/report/files.hpp>
#include <ipuflow/report/page/page.hpp>
#include <ipuflow/report/plans/plan_json.hpp>
#include <ipuflow/report/plans/plan_text.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <pipeline_planner/blocks.hpp>
#include <pipeline_planner/networks.hpp>
#include <pipeline_planner/search.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace pipeline_planner {

struct network_request {
  std::string network{};
  std::string chip = "mk2";
  std::string precision = "16.16";
  std::string schedule{};
  std::string mode = "training";
  std::string format = "text";
  std::string page{};     ///< a file for it, or none
  std::string command{};  ///< as it was given
  std::vector<std::string> split{};
  std::string recompute{};  ///< all, full, or numbers of stages
  std::size_t stages_per_chip = 0;
  bool counted = false, advise = false, best = false;
  double host_ms = 0, call_ms = 0, headroom = 0.05;
  plan::configuration with{};
};

/// The options of a network; each needs `--network`, but those that are said before.
inline void describe(CLI::App& app, CLI::Option* network, network_request& wanted) {
  constexpr std::size_t most = std::size_t{1} << 30;
  plan::configuration& c = wanted.with;
  const auto number = [&](const char* name, std::size_t& of, const char* what, std::size_t last) {
    return app.add_option(name, of, what)->check(CLI::Range(std::size_t{1}, last))->needs(network);
  };
  const auto flag = [&](const char* name, bool& of, const char* what) { return app.add_flag(name, of, what)->needs(network); };
  const auto amount = [&](const char* name, double& of, const char* what, double last) {
    app.add_option(name, of, what)->check(CLI::Range(0.0, last))->needs(network);
  };
  number("--chips", c.ipus, "chips of a replica", 1024);
  number("--replicas", c.replicas, "copies of the whole pipeline, each on chips of its own", 4096);
  app.add_option("--split", wanted.split, "the blocks that begin the stages but the first: layer3[8] or layer3.8; without it blocks are balanced so that all chips fit")
      ->delimiter(',')
      ->needs(network);
  app.add_option("--schedule", wanted.schedule, "a name of the catalogue, popart, or search for the fastest of all, found with the costs of the chips; 1f1b, or inference in that mode")
      ->needs(network);
  app.add_option("--mode", wanted.mode, "training, or inference: forward passes alone, of which all results are sent")
      ->check(CLI::IsMember({"training", "inference"}))
      ->needs(network);
  number("--stages-per-chip", wanted.stages_per_chip, "of balanced stages, for schedules that have several on each", 64);
  number("--micro-batch", c.micro_batch, "samples that go through together", 65536);
  number("--accumulation", c.accumulation, "micro-batches of a replica to an update", most);
  number("--device-iterations", c.device_iterations, "updates in a step", plan::most_planned_iterations);
  app.add_option("--precision", wanted.precision, "of data and of weights")->check(CLI::IsMember({"32.32", "16.32", "16.16"}))->needs(network);
  flag("--eight-bit-io", c.bytes_in, "images come as bytes and are converted on tiles");
  flag("--half-partials", c.half_partials, "products of halves are summed in halves; not of --precision 32.32");
  flag("--limit-gradients", c.limits_gradients, "those of all stages together have a longest length, as max_grad_norm gives them");
  flag("--automatic-loss-scale", c.automatic_loss_scale, "a scale of the loss that follows overflows");
  flag("--offload-optimiser", c.optimiser_off_chip, "its state is in streaming memory");
  flag("--offload-weights", c.weights_off_chip, "they are in streaming memory between their uses");
  flag("--offload-accumulators", c.accumulators_off_chip, "sums of gradients are there, too");
  flag("--offload-activations", c.activations_off_chip, "values that wait for a backward pass are there, too");
  flag("--shard-optimiser", c.shard_optimiser, "each replica keeps its part of the optimiser's state");
  flag("--shard-gradients", c.shard_gradients, "and of the sums of gradients");
  flag("--shard-weights", c.shard_weights, "and of the weights");
  app.add_option("--io-tiles", c.io_tiles, "set aside on each chip")->check(CLI::Range(0, 1024))->needs(network);
  flag("--neighbours", c.waits_for_neighbours, "chips wait only for those that they exchange with, by way of I/O tiles");
  app.add_option_function<std::vector<double>>(
         "--memory-proportion", [&c](const std::vector<double>& shares) { c.memory_proportion = ipu::memory_proportions(std::span<const double>(shares)); },
         "of a tile's memory, for an operation's needs besides its operands: one, or one for each chip of a replica")
      ->delimiter(',')
      ->check(CLI::Range(0.01, 1.0))
      ->needs(network);
  CLI::Option* const host = app.add_option("--host-ms", wanted.host_ms, "time in which the host makes a micro-batch")->check(CLI::Range(0.0, 1e6))->needs(network);
  number("--prefetch", c.prefetch, "micro-batches that the host makes ahead", plan::most_planned_ahead)->needs(host);  // else it has them at once
  flag("--async-loading", c.asynchronous_loading, "the host makes the first micro-batches of a step while the step before runs")->needs(host);
  amount("--call-ms", wanted.call_ms, "time in which the host begins a step", 1e6);
  amount("--headroom", wanted.headroom, "part of each tile's memory that is to stay free", 0.99);
  app.add_option("--chip", wanted.chip, "the kind of chip")->check(CLI::IsMember({"mk2", "bow"}))->needs(network);
  flag("--advise", wanted.advise, "the changes of one choice that help, best first; each that needs other chips counts them");
  flag("--best", wanted.best, "the fastest configurations of these chips and of as many samples to an update, in balanced stages");
  flag("--counted", wanted.counted, "the whole step is counted, too, and the plan is held to it");
  app.add_option("--page", wanted.page, "a file for a page that shows the plan in any browser, with the advice and the count that were asked for")->needs(network);
  app.add_option("--format", wanted.format, "of the plan")->check(CLI::IsMember({"text", "json"}))->needs(network);
}

inline plan::numbers numbers_named(std::string_view name) {
  for (const auto n : {plan::numbers::f32_32, plan::numbers::f16_32}) {
    if (name == plan::name_of(n)) return n;
  }
  return plan::numbers::f16_16;
}

/// The stages of "all" or "0,2"; "full" names none itself.
inline schedule::stage_set stages_named(const std::string& text) {
  if (text == "all") return schedule::all_stages;
  schedule::stage_set made;
  if (text.empty() || text == "full") return made;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::size_t stage = 0;
    const auto [last, wrong] = std::from_chars(text.data() + begin, text.data() + end, stage);
    if (wrong != std::errc{} || last != text.data() + end || stage >= schedule::most_stages)
      throw error{filled("ipuflow: --recompute={text} names no stages; write all, full, or numbers of stages, as in --recompute=0,2", {{"text", text.substr(0, 40)}})};
    made.add(stage);
    begin = end + 1;
  }
  return made;
}

/// The version of a network with the numbers that are asked for.
inline const train::planned_network& version_for(const std::vector<train::planned_network>& versions, const plan::configuration& c, std::string_view name) {
  for (const train::planned_network& v : versions) {
    if (v.precision == c.precision && v.bytes_in == c.bytes_in) return v;
  }
  throw error{filled("ipuflow: {name} reads no images, so nothing enters it as pixels; leave --eight-bit-io out", {{"name", name}})};
}

/// A step that was counted as a whole: its cycles, and the bytes of each chip's fullest tile.
struct counted_step {
  std::uint64_t cycles = 0;
  std::vector<std::uint64_t> bytes{};
};
inline counted_step step_of(const run::chips_profile& seen, std::size_t chips) {
  counted_step made{seen.chips.total.value, {}};
  for (std::size_t chip = 0; chip < chips; ++chip) {
    std::uint64_t most = 0;
    for (std::size_t t = 0; t < seen.chips.tiles_per_chip; ++t)
      most = std::max<std::uint64_t>(most, seen.chips.memory.tiles[chip * seen.chips.tiles_per_chip + t].total());
    made.bytes.push_back(most);
  }
  return made;
}

/// "+0.3 %": the error of a plan.
inline std::string error_of(std::uint64_t planned, std::uint64_t counted) {
  const double error = 100 * (static_cast<double>(planned) / static_cast<double>(counted) - 1);
  char text[40];
  std::snprintf(text, sizeof text, "%+.1f %%", error);
  return text;
}
inline std::string counted_text(const plan::prediction& p, const counted_step& step) {
  std::string text = "\nCounted as a whole: " + std::to_string(step.cycles) + " cycles, of which the plan is " + error_of(p.total.value, step.cycles) + " off\n";
  for (std::size_t chip = 0; chip < step.bytes.size(); ++chip)
    text += "  chip " + std::to_string(chip) + ": fullest tile " + std::to_string(step.bytes[chip]) + " bytes, the plan is " +
            error_of(p.memory[chip].bytes.total(), step.bytes[chip]) + " off\n";
  return text;
}
inline std::string counted_json(const counted_step& step) {
  std::string bytes;
  for (const std::uint64_t b : step.bytes) bytes += (bytes.empty() ? "" : ",") + std::to_string(b);
  return ",\"counted\":{\"cycles\":" + std::to_string(step.cycles) + ",\"bytes\":[" + bytes + "]}";
}

// begin: page
/// The plan as a page, with its timetable, and with the counted step as a second part if it was asked for.
inline void save_page(const network_request& wanted, const report::page_plan& made, train::planner& planner, const run::chips_profile* counted) {
  report::page_builder page{{.title = "Plan of " + wanted.network, .command = wanted.command}};
  if (made.with.cuts.empty())
    page.add("plan", made);
  else
    page.add("plan", made, planner.timetable(made.with));
  if (counted != nullptr) page.add("counted", *counted, report::page_samples{made.predicted.samples});
  report::save_file(wanted.page, [&](auto& out) { page.write(out); });
}
// end: page

/// The blocks that begin the stages but the first.
inline light_vector<std::size_t> cuts_at(const nn::network_on_tiles& network, const std::vector<std::string>& names) {
  light_vector<std::size_t> cuts;
  for (const std::string& name : names) {
    const std::size_t before = cuts.empty() ? 0 : cuts.back(), block = block_of(network, name);
    if (block <= before)
      throw error{filled("ipuflow: --split: '{name}' is not behind '{before}', where a stage begins already; name blocks in the order of the network, each "
                         "once, and not its first", {{"name", network.name_of(block)}, {"before", network.name_of(before)}})};
    cuts.push_back(block);
  }
  return cuts;
}

/// Refuses what a plan would not do.
inline void refuse_without_effect(const plan::configuration& c, const schedule::stage_set& named) {
  if (named.empty() || c.run_for == mode::inference || !c.recompute.empty()) return;
  throw error{filled("ipuflow: --recompute: {name} splits backwards in two, and its stages keep what they read; leave --recompute out, or take a "
                     "schedule of whole backwards, such as 1f1b", {{"name", c.schedule}})};
}

/// Says on a terminal what takes so long.
inline void tell_of_counting(const char* option, const char* what = "each chip that differs") {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "%s counts %s, which takes minutes for a large network\n", option, what);
}

/// The plan of what was asked for.
inline std::string planned_text(network_request wanted) {
  plan::configuration& c = wanted.with;
  const ipu::architecture& chip = wanted.chip == "bow" ? ipu::bow : ipu::mk2;
  c.precision = numbers_named(wanted.precision);
  const bool trains = wanted.mode == "training";
  c.run_for = trains ? mode::training : mode::inference;
  c.schedule = !wanted.schedule.empty() ? wanted.schedule : trains ? "1f1b" : "inference";
  if (c.half_partials && c.precision == plan::numbers::f32_32)
    throw error{message_text{"ipuflow: --half-partials sums products of halves, and 32.32 has none; give --precision 16.32 or 16.16, or leave "
                             "it out"}};
  c.host_time = seconds{wanted.host_ms / 1e3}, c.call_time = seconds{wanted.call_ms / 1e3};
  std::vector<train::planned_network> versions;
  for (const known_network& n : known_networks) {
    if (n.name == wanted.network) versions = n.versions();
  }
  const nn::network_on_tiles network = version_for(versions, c, wanted.network).network;
  c.cuts = cuts_at(network, wanted.split);
  train::planner planner(chip, std::move(versions), wanted.headroom);
  const schedule::stage_set named = c.recompute = stages_named(wanted.recompute);
  const bool where_full = wanted.recompute == "full";
  if (wanted.split.empty()) {
    plan::chosen_stages found = planner.balanced(c, {wanted.stages_per_chip, wanted.headroom, where_full ? plan::recomputing::where_full : plan::recomputing::as_configured});
    c.cuts = std::move(found.cuts), c.recompute = found.recompute;
  } else if (where_full) {
    c.recompute = planner.recomputed_where_full(c, wanted.headroom);
  }
  if (wanted.stages_per_chip > 0 && c.cuts.size() + 1 != wanted.stages_per_chip * c.ipus && !wanted.split.empty())
    throw error{filled("ipuflow: --split gives {got} stages, and --stages-per-chip asks for {limit}; leave one of the two out",
                       {{"got", c.cuts.size() + 1}, {"limit", wanted.stages_per_chip * c.ipus}})};
  c.recompute = planner.recomputed(c);
  const plan::prediction made = planner(c);
  refuse_without_effect(c, named);
  const auto names_of = [&](const plan::configuration& of) {
    return report::plan_names{wanted.network, wanted.chip, stage_names(network, of.cuts), wanted.headroom};
  };
  const report::plan_names names = names_of(c);
  const bool json = wanted.format == "json";
  std::string text = json ? report::plan_json(made, c, names) : report::plan_text(made, c, names);
  if (json) text.pop_back();  // its brace, behind which more members follow
  if (c.schedule == plan::search) {
    const std::string& schedule = planner.found_schedule(c);
    text += json ? ",\"found_schedule\":" + report::json_text(schedule) : "\nThe fastest schedule: " + schedule + "\n";
  }
  run::chips_profile whole;
  if (wanted.counted) {
    tell_of_counting("--counted", "all chips and every pass of a step");
    whole = planner.counted(c);
    const counted_step step = step_of(whole, c.ipus);
    text += json ? counted_json(step) : counted_text(made, step);
  }
  std::vector<plan::advice> found;
  if (wanted.advise) {
    tell_of_counting("--advise");
    found = plan::advise(planner, c, {.headroom = wanted.headroom});
    for (plan::advice& a : found) a.with.recompute = planner.recomputed(a.with);
    text += json ? advice_json(found, names_of) : advice_text(found);
  }
  if (wanted.best) {
    plan::configuration like = c;
    if (where_full) like.recompute = {};  // chosen for each, as it was for this one
    tell_of_counting("--best");
    plan::best_found best = planner.best(choices_like(like, network.blocks(), wanted.stages_per_chip, wanted.headroom));
    text += json ? best_json(best, names_of) : best_text(best);
  }
  if (!wanted.page.empty()) save_page(wanted, {made, c, names, std::move(found)}, planner, wanted.counted ? &whole : nullptr);
  return json ? text + "}\n" : text;
}

}  // namespace pipeline_planner
