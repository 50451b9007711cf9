// SPDX-License-Identifier: BSL-1.0
// A plan as a part of a page: its configuration, the step by use, the fullest tile of each chip by use, the known errors of such
// figures, and advice with the effects that were worked out for each change.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/advice.hpp>
#include <ipuflow/report/page/part.hpp>
#include <ipuflow/report/plans/plan_json.hpp>
#include <ipuflow/report/plans/plan_text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

/// A plan for a page: what was predicted of which configuration, and, if it was asked for, advice.
struct page_plan {
  plan::prediction predicted{};
  plan::configuration with{};
  plan_names names{};
  light_vector<plan::advice> advice{};
};

namespace impl {

/// The figures of a prediction that advice compares.
template <class = void>
[[nodiscard]] json_members& add_figures(json_members& of, const plan::prediction& p) {
  const std::uint64_t fullest = p.memory.empty() ? 0 : p.memory[p.fullest()].bytes.total();
  return of.add("cycles", p.total.value).add("samples_per_second", p.samples_per_second()).add("fullest_tile_bytes", fullest);
}

/// "1.20 times as fast, 12,000 bytes fewer on the fullest tile".
template <class = void>
[[nodiscard]] std::string effect_of(const plan::advice& a) {
  const bool more = a.bytes > 0;
  const std::string bytes = a.bytes == 0 ? "as many bytes" : joined(with_commas(static_cast<std::uint64_t>(more ? a.bytes : -a.bytes)), more ? " bytes more" : " bytes fewer");
  return joined(with_digits(a.speedup, 2), " times the samples a second, ", bytes, " on the fullest tile; ", a.fits ? "fits" : "does not fit");
}

template <class = void>
void add_advice(page_part& part, const plan::prediction& now, const light_vector<plan::advice>& all) {
  page_table table{.title = "Advice: changes of one choice, planned again", .note = "The best first. Each was worked out, not guessed.", .head = {"", "samples/s", "times", "fullest tile", "fits"}};
  if (all.empty()) return;
  part.member("advice", json_list(all, [&](const plan::advice& a) {
    json_members of, before;
    of.add("change", a.change).add("fits", a.fits).add("speedup", a.speedup);
    add_figures<>(of, a.then).put("before", add_figures<>(before, now).text());
    return of.add("sentence", joined(a.change, ": ", effect_of<>(a), ".")).text();
  }));
  for (const plan::advice& a : all) {
    const std::uint64_t fullest = a.then.memory.empty() ? 0 : a.then.memory[a.then.fullest()].bytes.total();
    table.rows.push_back({a.change, with_digits(a.then.samples_per_second(), 1), with_digits(a.speedup, 2), with_commas(fullest), a.fits ? "yes" : "no"});
  }
  part.table(std::move(table));
}

template <class = void>
void add_plan_memory(page_part& part, const plan::prediction& p) {
  if (p.memory.empty()) return;
  json_members of;
  of.add("tile_memory", static_cast<std::uint64_t>(p.tile_memory.value)).add("chips", p.memory.size());
  std::string categories, errors;
  page_table table{.title = "Bytes of the fullest tile of each chip", .note = "With the median error of such bytes, in %.", .head = {""}};
  for (std::size_t u = 0; u < plan::memory_uses; ++u) {
    const auto use = static_cast<plan::memory_use>(u);
    categories.append(u == 0 ? "[" : ",") += json_text(name_of(use));
    errors.append(u == 0 ? "[" : ",") += shortest(error_of(class_of(use)).median);
    light_vector<std::string> cells{std::string(name_of(use))};
    std::uint64_t sum = 0;
    for (const plan::chip_memory& m : p.memory) {
      cells.push_back(with_commas(m.bytes.by_use[u]));
      sum += m.bytes.by_use[u];
    }
    cells.push_back(with_digits(error_of(class_of(use)).median, 1));
    if (sum > 0) table.rows.push_back(std::move(cells));
  }
  light_vector<std::string> total{"total"};
  for (std::size_t c = 0; c < p.memory.size(); ++c) {
    table.head.push_back(joined("chip ", std::to_string(c)));
    total.push_back(with_commas(p.memory[c].bytes.total()));
  }
  table.head.emplace_back("error %");
  table.rows.push_back(std::move(total));
  of.put("categories", categories + "]").put("errors", errors + "]");
  of.put("fullest", json_list(p.memory, [](const plan::chip_memory& m) { return json_list(m.bytes.by_use, [](std::uint64_t b) { return std::to_string(b); }); }));
  of.put("fullest_tiles", json_list(p.memory, [](const plan::chip_memory& m) { return std::to_string(m.tile); }));
  part.member("memory", of.text());
  part.table(std::move(table));
}

template <class = void>
void plan_facts(page_part& part, const page_plan& of) {
  const plan::prediction& p = of.predicted;
  part.number("throughput", p.samples_per_second(), "samples/s", "speed");
  part.number("cycles", static_cast<double>(p.total.value), "", "speed");
  if (p.clock.value > 0) part.number("time", p.time().value, "s", "speed");
  part.number("samples", static_cast<double>(p.samples), "", "speed");
  if (!of.names.network.empty()) part.fact("network", of.names.network, "configuration");
  if (!of.names.chip.empty()) part.fact("chip", of.names.chip, "machine");
  part.number("IPUs", static_cast<double>(of.with.chips()), "", "machine");
  const auto chosen = [&](const char* name, std::size_t n) { part.number(name, static_cast<double>(n), "", "configuration"); };
  const bool trains = of.with.run_for == mode::training;
  part.fact("schedule", of.with.schedule, "configuration");
  if (!trains) part.fact("for", "inference", "configuration");
  part.fact("precision", std::string(name_of(of.with.precision)), "configuration");
  chosen("replicas", of.with.replicas);
  chosen("stages", of.with.cuts.size() + 1);
  chosen("samples of a micro-batch", of.with.micro_batch);
  chosen(trains ? "micro-batches to an update" : "micro-batches of a run", of.with.accumulation);
  chosen(trains ? "updates of a step" : "runs of a step", of.with.device_iterations);
  chosen("I/O tiles", of.with.io_tiles);
  if (const std::string with = chosen_of<>(of.with); !with.empty()) part.fact("with", with, "configuration");
  for (std::size_t s = 0; s < of.names.stages.size(); ++s) part.fact(joined("stage ", std::to_string(s)), of.names.stages[s], "stages");
  std::string fits = fits_of<>(p, of.names.headroom);
  while (!fits.empty() && fits.back() == '\n') fits.pop_back();
  part.fact("memory", fits, "memory");
}

template <class = void>
[[nodiscard]] page_table errors_table() {
  page_table made{.title = "Known errors of predictions", .note = "Of published measurements, % of what was measured.", .head = {"", "rows", "median", "worst", "that is row"}};
  for (const known_error& e : known_errors)
    made.rows.push_back({std::string(e.of), with_commas(e.rows), with_digits(e.median, 1), (e.worst < 0 ? "-" : "") + with_digits(e.worst < 0 ? -e.worst : e.worst, 1), std::string(e.row)});
  return made;
}

template <class = void>
void describe(page_part& part, const page_plan& of) {
  const plan::prediction& p = of.predicted;
  const std::uint64_t most = p[p.bound()].value;
  part.begin("plan", {.per_second = p.clock.value, .in_cycles = true, .name = "cycles"},
             p.bound() == plan::time_use::bubble
                 ? joined("Waiting bounds the time: even IPU ", std::to_string(p.busiest), ", which works most, waits for others in ", percent(most, p.total.value), " % of it.")
                 : joined("IPU ", std::to_string(p.busiest), " bounds the time, with ", percent(most, p.total.value), " % of it in ", std::string(name_of(p.bound())), "."),
             "Worked out by arithmetic, from chips that were counted once each.");
  plan_facts<>(part, of);
  page_amounts uses;
  for (std::size_t u = 0; u < plan::time_uses; ++u) uses.emplace_back(std::string(name_of(static_cast<plan::time_use>(u))), p.by_use[u].value);
  part.breakdown(std::move(uses), p.total.value);
  page_table chips{.title = "Chips of a replica", .head = {"", "at work, % of a step", "bytes from the host", "bytes to the host"}};
  for (std::size_t c = 0; c < p.busy.size(); ++c)
    chips.rows.push_back({joined("chip ", std::to_string(c)), percent(p.busy[c].value, p.total.value), with_commas(p.from_host[c]), with_commas(p.to_host[c])});
  part.table(std::move(chips));
  add_plan_memory<>(part, p);
  add_advice<>(part, p, of.advice);
  part.table(errors_table<>());
  part.member("configuration", json_of<>(of.with));
}

}  // namespace impl

}  // namespace ipuflow::report
