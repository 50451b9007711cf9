// SPDX-License-Identifier: BSL-1.0
// The IPU of every stage as a rule: every IPU has the same number of stages, laid out in a loop, in a V, or in both
// directions at once. A `seat` is a stage on one of its IPUs; here each stage has one seat, so seats are stages.
#pragma once

#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The rule by which stages are on P IPUs.
enum class layout : unsigned char {
  loop,     ///< stage s on IPU s mod P
  vee,      ///< stage s on IPU s, and back: the last stage is on the first IPU again
  mirrored  ///< stage s on IPU s for the first half of the micro-batches, on IPU P-1-s for the second
};

/// Stages on IPUs by such a rule: a layout in four numbers.
struct grid {
  std::size_t ipus = 0;
  std::size_t stages = 0;
  std::size_t micro_batches = 0;
  layout kind = layout::loop;

  friend constexpr bool operator==(const grid&, const grid&) = default;

  constexpr std::size_t seats() const { return stages; }
  constexpr std::size_t first_seat(std::size_t stage) const { return stage; }
  constexpr std::size_t directions() const { return kind == layout::mirrored ? 2 : 1; }

  constexpr std::size_t ipu_of(std::size_t seat, std::size_t micro_batch) const {
    if (kind == layout::mirrored) return micro_batch < micro_batches / 2 ? seat : ipus - 1 - seat;
    const std::size_t chunk = seat / ipus;
    const std::size_t rank = seat % ipus;
    return kind == layout::vee && chunk % 2 == 1 ? ipus - 1 - rank : rank;
  }
  constexpr std::size_t seat_of(std::size_t ipu, std::size_t stage, std::size_t micro_batch) const {
    return ipu_of(stage, micro_batch) == ipu ? stage : nowhere;
  }

  /// The stages of an IPU are its chunks; a mirrored IPU has one chunk for each direction.
  constexpr std::size_t chunks(std::size_t) const { return kind == layout::mirrored ? 2 : stages / ipus; }
  constexpr std::size_t stage_of(std::size_t ipu, std::size_t chunk) const {
    if (kind == layout::mirrored) return chunk == 0 ? ipu : ipus - 1 - ipu;
    return chunk * ipus + (kind == layout::vee && chunk % 2 == 1 ? ipus - 1 - ipu : ipu);
  }
  constexpr std::size_t direction_of(std::size_t chunk) const { return kind == layout::mirrored ? chunk : 0; }
  /// The distance of a member of a group of micro-batches from the first, in units of their schedule.
  constexpr std::size_t delay(std::size_t member) const { return member; }
  /// The member with that delay, `nowhere` if none has it.
  constexpr std::size_t member_at(std::size_t delay) const { return delay; }
};

}  // namespace ipuflow::schedule
