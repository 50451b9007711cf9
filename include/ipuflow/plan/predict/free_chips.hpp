// SPDX-License-Identifier: BSL-1.0
// Chips that have a clock each and wait for their neighbours alone, and the host that feeds them, in cycles: what a run of theirs is worked
// out from.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// A stage on its chip, in cycles of a micro-batch.
struct free_stage {
  std::array<std::uint64_t, schedule::pass_count> passes{};
  std::array<std::uint64_t, schedule::pass_count> behind{};  ///< of these the last cycles, for which no other chip waits
  light_vector<counted_moves> between{};                     ///< the same where it is known which passes follow, of which stages of all
  std::array<std::uint64_t, schedule::pass_count> taken{};   ///< the first cycles, which bring what came from another chip
  std::array<std::uint64_t, schedule::pass_count> posted{};  ///< those before `behind`, which put what is made where it leaves
  std::uint64_t message = 0;       ///< to the next stage; none on the same chip
  std::uint64_t message_back = 0;  ///< to the stage before
  std::uint64_t moved = 0;         ///< from one place on I/O tiles to another: what goes to the next stage
  std::uint64_t moved_back = 0;    ///< and to the stage before
  std::uint64_t infeed = 0;        ///< from the host to I/O tiles
  std::uint64_t outfeed = 0;       ///< of a micro-batch's results from I/O tiles: in training of the last one
};

/// A chip where it meets others before its update: its own work, then that of all who take part.
struct free_meeting {
  std::uint64_t before = 0;
  std::uint64_t together = 0;  ///< none for a chip that takes no part
};

/// Chips and their stages: those for the second half of the micro-batches are others if the schedule is crossed.
struct free_chips {
  light_vector<free_stage> stages[2]{};
  light_vector<std::uint64_t> clear{};    ///< of each chip, before its first pass of a run
  light_vector<std::uint64_t> update{};   ///< behind its last one
  light_vector<free_meeting> meetings[meetings_of_chips]{};  ///< before it, by `meeting_of_chips`; none where no chip has
  std::size_t fed = 0;                    ///< stage that is fed first, with which all values of a micro-batch come
  bool one_port = true;                   ///< for what comes from the host and for results: the first chip and the last one are of one machine
};

/// A host that makes one micro-batch after the other, and what is behind the passes of a run: cycles.
struct free_host {
  std::uint64_t each = 0;    ///< to make a micro-batch
  std::size_t prefetch = 1;  ///< micro-batches that are made ahead; with none it begins when it is asked
  std::uint64_t behind = 0;  ///< on all chips, beside their updates
};

/// Cycles that keep and bring values behind each pass of a row; `stage_of(o)` has the stage of an operation. A pass before the last two may
/// come often, and the last of these has less to bring.
template <class StageOf>
[[nodiscard]] light_vector<std::uint64_t> moved_behind(const dynamic_array<schedule::placed>& row, const StageOf& stage_of) {
  light_vector<std::uint64_t> made(row.size(), 0);
  light_vector<const counted_moves*> met;
  for (std::size_t i = row.size(); i-- > 0;) {
    const free_stage& stage = stage_of(row[i]);
    const counted_moves here = moves_behind(row, i, [](std::size_t s) { return s; });
    const counted_moves* const known = algorithms::find_if(stage.between.begin(), stage.between.end(), [&](const counted_moves& m) { return m.is_where(here); });
    const bool again = algorithms::find(met.begin(), met.end(), known) != met.end();
    if (known == stage.between.end()) {
      made[i] = stage.behind[static_cast<std::size_t>(row[i].kind)];
    } else {
      made[i] = (again ? known->time : known->last).value;
      if (!again) met.push_back(known);
    }
  }
  return made;
}

}  // namespace ipuflow::plan
