// SPDX-License-Identifier: BSL-1.0
// Rules of the vendor's schedules for a device map: each stage on an IPU, concurrent branches apart, and for
// interleaving the offsets at which copies of the pipeline can run beside each other without meeting on an IPU.
#pragma once

#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The fault of a number of stages.
constexpr schedule_fault verify_stage_count(std::size_t stages, std::size_t least) {
  if (stages < least) return {schedule_wrong::one_stage_only, stages, least};
  if (stages > most_stages) return {schedule_wrong::too_many_stages, stages, most_stages};
  return {};
}

/// Enough stages, each with an IPU, its branches on different ones.
constexpr schedule_fault verify_devices(const grid& where, std::size_t least = 2) {
  return verify_stage_count(where.stages, least);
}
template <std::size_t Seats>
constexpr schedule_fault verify_devices(const device_map<Seats>& where, std::size_t least = 2) {
  if (const schedule_fault found = verify_stage_count(where.stages, least)) return found;
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const std::size_t end = where.first_seat(stage + 1);
    if (where.first_seat(stage) == end) return {.kind = schedule_wrong::unmapped_stage, .where = {.stage = stage}};
    for (std::size_t seat = where.first_seat(stage); seat < end; ++seat) {
      if (where.seat_of(where.taken[seat].ipu, stage, 0) == seat) continue;
      return {.kind = schedule_wrong::branch_twice, .where = {.ipu = where.taken[seat].ipu, .stage = stage}};
    }
  }
  return {};
}

constexpr schedule_fault verify_apart(const grid& where) {
  if (where.stages == where.ipus) return {};
  return {.kind = schedule_wrong::repeated_ipu, .where = {.ipu = 0, .stage = where.ipus}};
}

/// No IPU has two stages.
template <std::size_t Seats>
constexpr schedule_fault verify_apart(const device_map<Seats>& where) {
  for (std::size_t late = 0; late < where.taken.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      if (where.taken[early].ipu != where.taken[late].ipu) continue;
      return {schedule_wrong::repeated_ipu, where.taken[early].stage, 0,
              {.ipu = where.taken[late].ipu, .stage = where.taken[late].stage}};
    }
  }
  return {};
}

/// The offsets at which copies of a list of slots run beside each other: from zero on, each that never meets the ones
/// already taken. `share(slot, other)` is true of slots that must not run in one step.
template <std::size_t Most, class Share>
[[nodiscard]] constexpr auto overlap_offsets(std::size_t slots, Share share) {
  bounded_vector<std::size_t, Most> offsets;
  for (std::size_t next = 0; next < slots; ++next) {
    bool meets = false;
    for (std::size_t i = 0; i < offsets.size() && !meets; ++i) {
      for (std::size_t slot = 0; slot < slots && !meets; ++slot) {
        meets = share((slot + next) % slots, (slot + offsets[i]) % slots);
      }
    }
    if (!meets) offsets.push_back(next);
  }
  return offsets;
}

/// True if copies of the pipeline must not have both stages in one step: they share an IPU, or are both concurrent, of which the vendor runs
/// one at a time.
template <std::size_t Seats>
[[nodiscard]] constexpr bool share_devices(const device_map<Seats>& where, std::size_t one, std::size_t other) {
  const std::size_t first = where.first_seat(one);
  const std::size_t end = where.first_seat(one + 1);
  if (end - first > 1 && where.first_seat(other + 1) - where.first_seat(other) > 1) return true;
  for (std::size_t seat = first; seat < end; ++seat) {
    if (where.seat_of(where.taken[seat].ipu, other, 0) != nowhere) return true;
  }
  return false;
}

/// The devices, with the offsets at which copies of the pipeline run beside each other.
template <std::size_t Seats>
[[nodiscard]] constexpr device_map<Seats> overlapping(device_map<Seats> where) {
  where.delays = overlap_offsets<Seats>(where.stages, [&](std::size_t one, std::size_t other) { return share_devices(where, one, other); });
  return where;
}
[[nodiscard]] constexpr grid overlapping(const grid& where) { return where; }

/// The number of copies; those of a grid never meet.
template <std::size_t Seats>
[[nodiscard]] constexpr std::size_t copies_on(const device_map<Seats>& where) {
  return where.delays.size();
}
[[nodiscard]] constexpr std::size_t copies_on(const grid& where) { return where.ipus; }

}  // namespace ipuflow::schedule::impl
