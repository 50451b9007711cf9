// SPDX-License-Identifier: BSL-1.0
// A profile as text, in the terms of the vendor's profiler, at most 100 characters wide. Of a run of a timetable it
// says also what each pass of each stage took.
#pragma once

#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/report/chips/chip_summary.hpp>
#include <ipuflow/report/chips/memory_summary.hpp>
#include <ipuflow/report/chips/verdict.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/slice.hpp>
#include <ipuflow/run/chips/profile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

/// Options of a summary.
struct summary_options {
  std::uint64_t samples = 0;  ///< that the run worked on, over all replicas; 0: unknown
  std::size_t lines = 16;     ///< of a long list; the last one adds up what would follow
};

/// "IPU 1 stage 1 restore, backward"
template <class = void>
[[nodiscard]] inline std::string name_of(const run::chips_label& what) {
  const slice_kind kind = kind_of(what);
  std::string name = name_of(kind);
  const bool by_io_tiles = what.pass == schedule::pass::infeed || what.pass == schedule::pass::outfeed;
  if (kind >= slice_kind::stash && kind <= slice_kind::store && (kind != slice_kind::exchange || by_io_tiles)) {
    name += std::string(", ") + schedule::name_of(what.pass);
  }
  if (what.stage != schedule::nowhere) name = impl::joined("stage ", std::to_string(what.stage), " ", name);
  return what.chip == schedule::nowhere ? name : impl::joined("IPU ", std::to_string(what.chip), " ", name);
}

namespace impl {

/// The totals of labels by IPU, stage and work.
template <class = void>
[[nodiscard]] inline light_vector<run::label_total> totals_by_place(const run::chips_profile& p) {
  light_vector<run::label_total> totals = p.totals();
  const auto place = [](const run::chips_label& l) { return light_pair{light_pair{l.chip, l.stage}, light_pair{kind_of(l), l.pass}}; };
  algorithms::sort(totals.begin(), totals.end(),
                   [&](const run::label_total& a, const run::label_total& b) { return place(a.what) < place(b.what); });
  return totals;
}

/// A table of the time that each pass of each stage, and all else that a run does, took together. Each line is a part of
/// the total by itself: things on different IPUs happen at the same time.
template <class = void>
[[nodiscard]] inline std::string cycles_by_stage(const run::chips_profile& p) {
  const light_vector<run::label_total> totals = totals_by_place(p);
  if (totals.empty()) return "";
  text_table t({"", "times", "cycles each", "cycles", "%"});
  for (const run::label_total& total : totals) {
    t.row({name_of(total.what), with_commas(total.times), with_commas(total.busy.value / total.times),
           with_commas(total.busy.value), percent(total.busy.value, p.chips.total.value)});
  }
  return t.text();
}

/// Shares of each IPU's time: its passes, the update, all-reduces with other replicas; the rest is the bubble.
template <class = void>
[[nodiscard]] inline std::string cycles_by_work(const run::chips_profile& p) {
  const std::size_t chips = p.chips.chips.size();
  if (chips == 0 || p.labels.empty()) return "";
  light_vector<std::array<double, slice_kinds>> of(chips);
  const auto at = [&](std::size_t chip, slice_kind kind) -> double& { return of[chip][static_cast<std::size_t>(kind)]; };
  for (const run::label_total& total : p.totals()) {
    if (total.what.chip >= chips) continue;
    const slice_kind kind = kind_of(total.what);
    const auto busy = static_cast<double>(total.busy.value);
    at(total.what.chip, kind) += busy;
    if (kind == slice_kind::all_reduce) at(total.what.chip, slice_kind::update) -= busy;  // it stands within the update
  }
  share_table t{chips, static_cast<double>(p.chips.total.value)};
  light_vector<double> bubble(chips, static_cast<double>(p.chips.total.value));
  for (const slice_kind kind : {slice_kind::forward, slice_kind::backward, slice_kind::backward_inputs,
                                slice_kind::backward_weights, slice_kind::recompute, slice_kind::update, slice_kind::all_reduce}) {
    bool used = kind == slice_kind::forward || (kind == slice_kind::all_reduce && p.chips.replicas > 1);
    for (std::size_t c = 0; c < chips; ++c) {
      bubble[c] -= at(c, kind);
      used = used || at(c, kind) > 0;
    }
    if (used) t.add(name_of(kind), [&](std::size_t c) { return at(c, kind); });
  }
  t.add("bubble", [&](std::size_t c) { return bubble[c]; });
  return t.text();
}

}  // namespace impl

/// `by_work`, `by_stage`: tables that come before those of the chips' inside.
template <class = void>
[[nodiscard]] inline std::string summary(const ipu::profile& p, const summary_options& options = {},
                           const std::string& by_work = "", const std::string& by_stage = "") {
  const impl::chip_summary chips{p};
  const impl::memory_summary memory{p};
  const std::string first = verdict(p);
  return first + (first.empty() ? "" : "\n") + chips.head(options.samples) +
         impl::headed(
             "Cycles. With and without idle: of a tile in the mean, counting idle workers or not.\n"
             "Waiting: for other IPUs.",
             chips.cycles_by_phase()) +
         impl::headed("Cycles by work. Bubble: all time of an IPU without a pass or an update.", by_work) +
         impl::headed("Cycles by stage", by_stage) + impl::headed("Tiles", chips.tiles()) + impl::headed("Work", chips.work()) +
         impl::headed("Bytes received and sent", chips.bytes_by_stream()) +
         impl::headed("Bytes of memory by category", memory.by_category()) +
         impl::headed("Bytes of memory by IPU", memory.by_chip()) +
         impl::headed("Largest variables", memory.largest_variables(options.lines)) +
         impl::headed("Cycles by operation, each vertex as if alone on its tile", chips.cycles_by_operation(options.lines));
}

template <class = void>
[[nodiscard]] inline std::string summary(const run::chips_profile& p, const summary_options& options = {}) {
  return summary(p.chips, options, impl::cycles_by_work(p), impl::cycles_by_stage(p));
}

template <class Other>
std::string summary(const Other&, const summary_options& = {}) {
  return impl::refuse<report_wrong::no_summary, Other>(), std::string{};
}

}  // namespace ipuflow::report
