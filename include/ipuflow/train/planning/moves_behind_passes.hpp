// SPDX-License-Identifier: BSL-1.0
// The cycles behind a chip's passes in which values are kept and brought back, by the two passes that follow: what the next ones read is brought,
// and what is read at once need not be kept. With them a run of any number of micro-batches takes as long for each as the counted one.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/train/planning/work_shares.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train::impl {

/// Of each stage of a chip: the cycles behind all passes of a kind, and behind one of them where another pass follows.
struct moves_behind {
  light_vector<pass_counts> of_all{};
  light_vector<light_vector<plan::counted_moves>> between{};
};

/// Cycles of each pass of a chip's row. Before the first pass of a step that chips end together they are for that one.
template <class = void>
[[nodiscard]] light_vector<std::uint64_t> cycles_behind(const run::chips_profile& seen, std::size_t chip, const light_vector<std::size_t>& stages,
                                                        const schedule::table& t, const light_vector<pass_counts>& counts) {
  const auto& row = t.rows[chip];
  light_vector<std::uint64_t> made(row.size(), 0);
  std::uint64_t* last = nullptr;  // the pass of this step
  std::uint64_t early = 0;        // before it
  std::size_t begun = 0;          // operations of the row that are behind
  seen.for_each([&](const run::chips_activity& a) {
    if (a.what.work == run::chips_work::exchange && a.what.chip == schedule::nowhere) last = nullptr;  // the end of a step
    const auto at = algorithms::find(stages.begin(), stages.end(), a.what.stage);
    if (a.what.chip != chip || at == stages.end()) return true;
    if (a.what.work == run::chips_work::pass) {
      const schedule::pass kind = part_of(a.what.pass, counts[static_cast<std::size_t>(at - stages.begin())]);
      std::size_t i = begun;
      while (i < row.size() && (row[i].stage != *at || row[i].kind != kind)) ++i;
      if (i == row.size()) return true;
      begun = kind == a.what.pass ? i + 1 : i;  // what is recomputed within a backward comes before it
      last = &made[i];
      *last += std::exchange(early, 0);
    }
    if (a.what.work == run::chips_work::stash || a.what.work == run::chips_work::restore) (last == nullptr ? early : *last) += (a.finish - a.start).value;
    return true;
  });
  return made;
}

template <class = void>
[[nodiscard]] moves_behind moves_behind_passes(const run::chips_profile& seen, std::size_t chip, const light_vector<std::size_t>& stages,
                                               const schedule::table& t, const light_vector<pass_counts>& counts) {
  const auto number_of = [&](std::size_t stage) { return static_cast<std::size_t>(algorithms::find(stages.begin(), stages.end(), stage) - stages.begin()); };
  const auto& row = t.rows[chip];
  const light_vector<std::uint64_t> behind = cycles_behind(seen, chip, stages, t, counts);
  moves_behind made;
  made.of_all.resize(stages.size(), pass_counts{}), made.between.resize(stages.size());
  light_vector<light_vector<std::uint64_t>> times(stages.size());  // that each was seen
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t stage = number_of(row[i].stage);
    if (stage == stages.size()) continue;
    made.of_all[stage][static_cast<std::size_t>(row[i].kind)] += behind[i];
    const plan::counted_moves here = plan::moves_behind(row, i, number_of);
    auto& all = made.between[stage];
    const auto known = algorithms::find_if(all.begin(), all.end(), [&](const plan::counted_moves& m) { return m.is_where(here); });
    const auto at = static_cast<std::size_t>(known - all.begin());
    if (at == all.size()) all.push_back(here), times[stage].push_back(0);
    all[at].time += cycles{behind[i]}, all[at].last = cycles{behind[i]}, ++times[stage][at];
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t m = 0; m < made.between[s].size(); ++m) {
      plan::counted_moves& of = made.between[s][m];
      if (times[s][m] > 1) of.time = divided_up(of.time - of.last, times[s][m] - 1);
    }
  }
  return made;
}

}  // namespace ipuflow::train::impl
