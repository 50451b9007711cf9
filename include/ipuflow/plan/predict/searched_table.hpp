// SPDX-License-Identifier: BSL-1.0
// The timetable that `schedule::search` finds for chips that were counted: its costs are the cycles of their passes and of the messages
// between them, and its memory is the room that the fullest tiles have for values that wait.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/chip_memory.hpp>
#include <ipuflow/plan/predict/predicted_step.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ipuflow::plan {

namespace impl {

/// The room for values that wait on a chip, on the tile where it is least, and what those of its stages take there.
template <class = void>
struct basic_waiting_room {
  std::int64_t room = 0;
  light_vector<std::int64_t> slots{};  // of each stage
};

template <class = void>
[[nodiscard]] basic_waiting_room<> waiting_room_of(const counted_chip& chip, std::int64_t limit) {
  basic_waiting_room<> least;
  double least_places = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < chip.totals.size(); ++t) {
    basic_waiting_room<> here{.room = limit - chip.totals[t]};
    std::int64_t all = 0;
    for (const counted_stage& s : chip.stages) {
      const counted_ring& stash = s[ring_of_stage::stash];
      const std::int64_t slot = stash.slot.empty() ? 0 : stash.slot[t];
      here.slots.push_back(slot);
      here.room += slot * static_cast<std::int64_t>(stash.depth);
      all += slot;
    }
    const double places = all == 0 ? 0 : static_cast<double>(here.room) / static_cast<double>(all);
    if ((all > 0 && places < least_places) || least.slots.empty()) least_places = all > 0 ? places : least_places, least = std::move(here);
  }
  return least;
}

/// The memory of a search: the newest values of a stage stay where they were made, all others wait in its stash.
template <class = void>
[[nodiscard]] schedule::search_memory search_memory_of(const schedule_steps& steps, light_span<const counted_chip* const> chips, std::int64_t limit) {
  schedule::search_memory made;
  made.stages = dynamic_array<schedule::activation_bytes>(steps.stages);
  made.limits = dynamic_array<std::size_t>(steps.ipus);
  for (std::size_t chip = 0; chip < steps.ipus; ++chip) {
    const basic_waiting_room<> room = waiting_room_of<>(*chips[chip], limit);
    std::int64_t held = algorithms::max<std::int64_t>(room.room, 0);
    std::size_t number = 0;
    for (std::size_t s = 0; s < steps.stages; ++s) {
      if (steps.ipu_of[s] != chip) continue;
      const std::int64_t slot = room.slots[number++];
      const bool alone = room.slots.size() == 1 && slot == 0;  // nothing waited there: one micro-batch at a time
      made.stages[s] = {alone ? 1 : slot, 0, alone ? -1 : -slot};
      held += slot;
      if (alone) held = 1;
    }
    made.limits[chip] = static_cast<std::size_t>(held);
  }
  return made;
}

/// A table with two of its steps as one.
template <class = void>
[[nodiscard]] schedule::table in_pairs(schedule::table t) {
  for (dynamic_array<schedule::placed>& row : t.rows) {
    for (schedule::placed& o : row) o.step /= 2;
  }
  t.goes = schedule::pace::in_step, t.alone = false;
  return t;
}

}  // namespace impl

/// The best order of the passes of stages that were counted with the steps of another schedule, whose passes are these: whole backwards, or
/// split ones. One of many micro-batches repeats a body. Refused if there is none: with no room, or with no body that fits the number.
template <class = void>
[[nodiscard]] schedule::table searched_table(const configuration& c, const schedule_steps& steps, light_span<const counted_chip* const> chips,
                                             const ipu::chip_system& system, bool split, double headroom = 0.05, std::size_t iterations = 2000) {
  const impl::basic_step_sum<> counted(c, steps, chips, system);
  const auto limit = static_cast<std::int64_t>(proportion_of(system.chip.tile_memory, 1 - headroom).value);
  const schedule::search_memory memory = impl::search_memory_of<>(steps, chips, limit);
  schedule::roster where = steps.few.where;
  const std::size_t body = 2 * steps.ipus, fewest = 4 * steps.ipus;
  const bool many = c.accumulation > 32 && c.accumulation > fewest + body;
  where.micro_batches = many ? fewest + (c.accumulation - fewest) % body : c.accumulation;
  const auto known = schedule::catalogue_tables(where, counted.costs());
  const schedule::searched found = schedule::search(
      where, counted.costs(), memory,
      {.metric = schedule::search_metric::makespan, .split = split, .repeating = many, .iterations = iterations, .known = &known});
  schedule::table made = found.timetable;
  if (found.refused) made.refused.kind = schedule::schedule_wrong::too_few_micro_batches;
  if (made.refused || !many) return made;
  return schedule::tabulate(found.closed_form().unrolled(c.accumulation));
}

/// The tables of a search that chips can run: the one that was found and, where chips end steps together, also in steps of two of its own, so
/// that as many chips as possible do the same in each.
template <class = void>
[[nodiscard]] light_vector<schedule::table> searched_tables(const configuration& c, const schedule_steps& steps, light_span<const counted_chip* const> chips,
                                                           const ipu::chip_system& system, bool split, double headroom) {
  light_vector<schedule::table> made;
  const auto add = [&](schedule::table t) {
    if (!schedule::verify(t)) made.push_back(std::move(t));
  };
  schedule::table found = searched_table<>(c, steps, chips, system, split, headroom);
  if (!found.refused && !is_free_of_steps(c, steps)) add(impl::in_pairs(found));
  add(std::move(found));
  return made;
}

}  // namespace ipuflow::plan
