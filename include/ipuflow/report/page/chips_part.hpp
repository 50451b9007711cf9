// SPDX-License-Identifier: BSL-1.0
// A run on chips, computed or counted, as a part of a page: phases of each chip, work by stage, timeline, memory, the program as a
// tree in which loops stay loops, and operations. Every number is one of the profile's, or a sum of such.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/report/chips/summary.hpp>
#include <ipuflow/report/chips/verdict.hpp>
#include <ipuflow/report/page/memory_part.hpp>
#include <ipuflow/report/page/timeline_part.hpp>
#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
#include <ipuflow/run/chips/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::report::impl {

/// Slices of a longer run that a page has no room for: its beginning stands for the rest.
inline constexpr std::size_t most_page_slices = 2'000'000;

/// A chip's time by phase; all of it with what it waits.
template <class = void>
[[nodiscard]] page_amounts phases_of(const ipu::profile& p, std::size_t chip) {
  page_amounts all;
  for (std::size_t i = 0; i < p.chips[chip].by_phase.size(); ++i) all.emplace_back(std::string(name_of(static_cast<ipu::phase>(i))), p.chips[chip].by_phase[i].value);
  all.emplace_back("waiting for other IPUs", p.waiting(chip).value);
  return all;
}

/// The chip that waits least.
template <class = void>
[[nodiscard]] std::size_t busiest_chip(const ipu::profile& p) {
  std::size_t busiest = 0;
  for (std::size_t c = 1; c < p.chips.size(); ++c) {
    if (p.waiting(c) < p.waiting(busiest)) busiest = c;
  }
  return busiest;
}

template <class = void>
[[nodiscard]] std::string chips_json(const ipu::profile& p) {
  std::string all;
  for (std::size_t c = 0; c < p.chips.size(); ++c) {
    const ipu::chip_profile& chip = p.chips[c];
    json_members phases, moved, of;
    for (const auto& [name, amount] : phases_of<>(p, c)) phases.add(name, amount);
    moved.add("from the host", chip.moved.host_in).add("to the host", chip.moved.host_out).add("from streaming memory", chip.moved.streaming_in);
    moved.add("to streaming memory", chip.moved.streaming_out).add("from other IPUs", chip.moved.chip_in).add("to other IPUs", chip.moved.chip_out);
    moved.add("exchanged by tiles", chip.moved.exchanged);
    of.add("name", joined("IPU ", std::to_string(c))).put("phases", phases.text()).add("flops", chip.flops).add("vertices", chip.vertices);
    of.add("supersteps", chip.supersteps).put("traffic", moved.text()).add("balance", p.balance(c)).add("utilisation", p.utilisation(c));
    of.add("tile_busy", chip.tile_busy.value).add("tile_issued", chip.tile_issued.value);
    all.append(c == 0 ? "[" : ",") += of.text();
  }
  return all.empty() ? "[]" : all + "]";
}

/// Activities with those inside; a loop without a label has its turns for a name.
template <class = void>
[[nodiscard]] std::string program_json(const run::chips_profile& p, const light_vector<ipu::activity>& all) {
  return json_list(all, [&](const ipu::activity& a) {
    json_members of;
    of.add("name", a.label == ipu::no_label ? a.turns == 1 ? std::string{"part"} : joined("loop of ", with_commas(a.turns)) : name_of(p.labels[a.label]));
    of.add("begin", a.begin.value).add("cycles", a.length.value * a.turns).add("times", a.turns);
    if (!a.inside.empty()) of.put("inside", program_json<>(p, a.inside));
    return of.text();
  });
}

template <class = void>
void add_operations(page_part& part, const ipu::profile& p) {
  light_vector<ipu::codelet_profile> sorted = p.codelets;
  algorithms::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.alone != b.alone ? a.alone > b.alone : a.name.view() < b.name.view(); });
  std::uint64_t all = 0;
  for (const ipu::codelet_profile& c : sorted) all += c.alone.value;
  page_table table{.title = "Cycles by operation", .note = "Of all its vertices, each as if alone on its tile; code is that of one tile.", .head = {"", "vertices", "cycles", "%", "flops", "code bytes"}};
  for (const ipu::codelet_profile& c : sorted)
    table.rows.push_back({std::string(c.name.view()), with_commas(c.vertices), with_commas(c.alone.value), percent(c.alone.value, all), with_commas(c.flops), with_commas(c.code.value)});
  part.table(std::move(table));
  part.member("operations", json_list(sorted, [](const ipu::codelet_profile& c) {
    return json_members{}.add("name", c.name.view()).add("vertices", c.vertices).add("cycles", c.alone.value).add("flops", c.flops).add("code_bytes", c.code.value).text();
  }));
}

/// The supersteps of labelled work: each list of phases once, and where the lists stand in the run.
template <class = void>
[[nodiscard]] std::string supersteps_json(page_columns& columns, const run::chips_profile& p) {
  light_vector<std::size_t> first{0};
  light_vector<const ipu::phase_run*> all;
  for (const auto& list : p.chips.phases) {
    for (const ipu::phase_run& r : list) all.push_back(&r);
    first.push_back(all.size());
  }
  light_vector<std::pair<std::size_t, std::uint64_t>> placed;
  p.for_each_phases([&](std::size_t list, cycles begin) {
    placed.emplace_back(list, begin.value);
    return placed.size() < most_page_slices;
  });
  json_members of;
  std::string phases;
  for (std::size_t i = 0; i < ipu::chip_profile{}.by_phase.size(); ++i) phases.append(i == 0 ? "[" : ",") += json_text(name_of(static_cast<ipu::phase>(i)));
  of.put("phases", phases + "]").put("operations", json_list(p.chips.codelets, [](const ipu::codelet_profile& c) { return json_text(c.name.view()); }));
  const auto add = [&](const char* name, auto value) { of.put(name, columns.add(all.size(), [&](std::size_t i) { return value(*all[i]); })); };
  add("row", [](const ipu::phase_run& r) { return r.chip; });
  add("phase", [](const ipu::phase_run& r) { return static_cast<std::size_t>(r.what); });
  add("start", [](const ipu::phase_run& r) { return r.begin.value; });
  add("length", [](const ipu::phase_run& r) { return r.length.value; });
  add("operation", [](const ipu::phase_run& r) { return r.codelet == ipu::no_codelet ? 0 : r.codelet + 1; });
  add("busy", [&](const ipu::phase_run& r) { return r.tile_busy.value * 1000 / algorithms::max<std::uint64_t>(r.length.value * p.chips.tiles_per_chip, 1); });
  of.put("first", columns.add(first)).put("list", columns.add(placed.size(), [&](std::size_t i) { return placed[i].first; }));
  return of.put("at", columns.add(placed.size(), [&](std::size_t i) { return placed[i].second; })).text();
}

/// Phases of each chip, as parts of the run.
template <class = void>
[[nodiscard]] page_table phases_table(const ipu::profile& p) {
  page_table made{.title = "Cycles of each IPU by phase", .head = {""}};
  for (std::size_t c = 0; c < p.chips.size(); ++c) {
    made.head.push_back(joined("IPU ", std::to_string(c)));
    made.head.push_back("%");
    const page_amounts phases = phases_of<>(p, c);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      if (c == 0) made.rows.push_back({phases[i].first});
      made.rows[i].push_back(with_commas(phases[i].second));
      made.rows[i].push_back(percent(phases[i].second, p.total.value));
    }
  }
  return made;
}

template <class = void>
[[nodiscard]] page_table stages_table(const run::chips_profile& p) {
  page_table made{.title = "Cycles by stage", .note = "IPUs work at the same time, so the lines do not add up to the total.", .head = {"", "times", "cycles each", "cycles", "%"}};
  for (const run::label_total& t : totals_by_place<>(p))
    made.rows.push_back({name_of(t.what), with_commas(t.times), with_commas(t.busy.value / t.times), with_commas(t.busy.value), percent(t.busy.value, p.chips.total.value)});
  return made;
}

/// All that is known of any program on chips.
template <class = void>
void describe(page_part& part, const ipu::profile& p) {
  std::string bound = time_verdict<>(p);
  for (char& c : bound) c = c == '\n' ? ' ' : c;
  while (!bound.empty() && bound.back() == ' ') bound.pop_back();
  part.begin("chips", {.per_second = p.clock.value, .in_cycles = true, .name = "cycles"}, std::move(bound));
  part.number("cycles", static_cast<double>(p.total.value), "", "speed");
  if (p.clock.value > 0) {
    part.number("time", p.time().value, "s", "speed");
    part.number("clock", p.clock.value * 1e-9, "GHz", "machine");
    if (p.total.value > 0) part.number("TFLOPS", p.flops() * 1e-12, "", "speed");
  }
  part.number("IPUs", static_cast<double>(p.chips.size()), "", "machine");
  part.number("tiles of an IPU", static_cast<double>(p.tiles_per_chip), "", "machine");
  part.number("replicas", static_cast<double>(p.replicas), "", "machine");
  if (!p.chips.empty()) {
    part.breakdown(phases_of<>(p, busiest_chip<>(p)), p.total.value);
    part.table(phases_table<>(p));
  }
  part.member("chips", chips_json<>(p));
  part.member("tiles_busy", part.columns().add(p.tile_busy.size(), [&](std::size_t t) { return p.tile_busy[t].value; }));
  add_memory<>(part, p);
  add_operations<>(part, p);
}

template <class = void>
void describe(page_part& part, const run::chips_profile& p) {
  const timeline t = timeline_of(p, {.most = most_page_slices});
  const bool in_steps = algorithms::any_of(p.labels.begin(), p.labels.end(), [](const run::chips_label& l) { return l.work == run::chips_work::exchange && l.chip == schedule::nowhere; });
  const run_causes causes = causes_of<>(t, in_steps);
  describe<>(part, p.chips);
  part.number("runs of the timetable", static_cast<double>(p.runs), "", "sizes");
  part.number("micro-batches of a run", static_cast<double>(p.micro_batches), "", "sizes");
  part.table(stages_table<>(p));
  part.table(rows_table<>(t, causes));
  json_members root;
  root.add("name", "program").add("cycles", p.chips.total.value).add("times", 1).put("inside", program_json<>(p, p.chips.activities));
  part.member("program", root.text());
  if (t.slices.empty()) return;
  part.picture(picture_of_run<>(t), "Timeline of the run");
  add_timeline<>(part, t, causes, {{"supersteps", supersteps_json<>(part.columns(), p)}});
}

}  // namespace ipuflow::report::impl
