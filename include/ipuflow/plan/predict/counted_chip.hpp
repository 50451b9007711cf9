// SPDX-License-Identifier: BSL-1.0
// A chip of a pipeline as it was counted once, with its stages and nothing else: the cycles of each pass over a micro-batch, what
// enters and leaves, and the bytes of each tile by what they are for. Any number of micro-batches, and of chips that are the same,
// follows from it by arithmetic.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/schedule/op.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::plan {

/// The use of bytes on a tile.
enum class memory_use : unsigned char {
  weights,          ///< and running state of layers
  gradients,        ///< added up over micro-batches
  optimiser_state,
  stash,            ///< what passes leave for later ones, of several micro-batches
  buffers,          ///< for the host, on I/O tiles, and numbers of a run
  activations,      ///< all that lives for a time: values of the micro-batch at hand, what is made again, operands of an operation
  vertex_code,
  vertex_state,
  exchange_code,
  control_code,
  stack,
  gaps
};
inline constexpr std::size_t memory_uses = 12;

[[nodiscard]] constexpr std::string_view name_of(memory_use u) {
  constexpr std::string_view names[] = {"weights",     "gradients",    "optimiser state", "stash",        "buffers", "activations",
                                        "vertex code", "vertex state", "exchange code",   "control code", "stack",   "gaps"};
  return names[static_cast<std::size_t>(u)];
}

/// Bytes of one tile.
struct tile_bytes {
  std::array<std::uint64_t, memory_uses> by_use{};

  constexpr std::uint64_t operator[](memory_use u) const { return by_use[static_cast<std::size_t>(u)]; }
  constexpr std::uint64_t& operator[](memory_use u) { return by_use[static_cast<std::size_t>(u)]; }
  [[nodiscard]] constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t b : by_use) sum += b;
    return sum;
  }
  [[nodiscard]] constexpr std::uint64_t code() const {
    return (*this)[memory_use::vertex_code] + (*this)[memory_use::exchange_code] + (*this)[memory_use::control_code];
  }
  friend constexpr bool operator==(const tile_bytes&, const tile_bytes&) = default;
};

/// The kinds of time of a chip's own work.
enum class work_of_chip : unsigned char { compute, exchange, sync, streaming };
inline constexpr std::size_t kinds_of_work = 4;

/// The kinds of values that wait for a stage in a ring.
enum class ring_of_stage : unsigned char {
  arriving,   ///< what entered
  stash,      ///< what forward passes leave
  returning,  ///< gradients that came back
  slopes      ///< what backward passes for inputs leave for those for weights
};
inline constexpr std::size_t kinds_of_values = 4;
inline constexpr std::size_t kinds_of_rings = 2 * kinds_of_values;  ///< and as many lists of slots that are not taken in turn, in their order

/// Places for values that wait for a stage, or the lists of those that are taken.
struct counted_ring {
  std::size_t depth = 0;              ///< of the ring, or the slots in its lists, when it was counted
  light_vector<std::uint32_t> slot{};  ///< bytes of one place on each tile; none if nothing waits there

  friend bool operator==(const counted_ring&, const counted_ring&) = default;
};

/// Depths of the rings of a stage, by `ring_of_stage`.
using ring_depths = std::array<std::size_t, kinds_of_rings>;

/// A pass that a chip begins behind another one, of the stage with a number; nowhere if there is none.
struct following_pass {
  std::size_t stage = schedule::nowhere;
  schedule::pass kind{};

  friend constexpr bool operator==(const following_pass&, const following_pass&) = default;
};

/// Cycles that keep and bring values behind a pass, where two others of the chip follow: which ones they are decides what is moved.
struct counted_moves {
  schedule::pass behind{};
  std::array<following_pass, 2> before{};
  cycles time{};
  cycles last{};  ///< of the last such pass of a run: there is less to bring

  [[nodiscard]] constexpr bool is_where(const counted_moves& o) const { return behind == o.behind && before == o.before; }
  friend bool operator==(const counted_moves&, const counted_moves&) = default;
};

/// The moves behind a pass of a row, where its stages have these numbers, without times.
template <class Row, class NumberOf>
[[nodiscard]] counted_moves moves_behind(const Row& row, std::size_t at, const NumberOf& number_of) {
  counted_moves made{.behind = row[at].kind};
  for (following_pass& p : made.before) {
    if (++at < row.size()) p = {number_of(row[at].stage), row[at].kind};
  }
  return made;
}

/// A stage on its chip, for one micro-batch.
struct counted_stage {
  std::array<cycles, schedule::pass_count> passes{};  ///< each with what brings and keeps its values
  std::array<cycles, schedule::pass_count> alone{};    ///< each without
  std::array<cycles, schedule::pass_count> behind{};   ///< what brings and keeps values, by the pass that it follows
  light_vector<counted_moves> between{};               ///< the same by the passes that it is before, too
  std::array<cycles, schedule::pass_count> taken{};    ///< of each what brings values that came by I/O tiles
  std::array<cycles, schedule::pass_count> posted{};   ///< and what puts those there that leave by them
  std::array<cycles, schedule::pass_count> handed{};   ///< and what brings values to another stage of the chip at the end of a step
  light_vector<cycles> moves{};                        ///< that bring and keep values, by kind
  cycles infeed{};                                     ///< from the host
  cycles outfeed{};                                    ///< to the host, each time that results are sent
  cycles brought{};                                    ///< what the host sent, from I/O tiles to those that compute
  cycles carried{};                                    ///< what is sent to the host, from where it is made to I/O tiles
  bytes sent{};                                        ///< to the next stage
  bytes sent_back{};                                   ///< gradients that it makes for the stage before
  bytes wanted_back{};                                 ///< gradients that it takes of the stage behind: none where nothing before is trained
  bytes from_host{};
  bytes to_host{};                                     ///< each time that results are sent
  std::array<counted_ring, kinds_of_rings> rings{};    ///< by `ring_of_stage`

  counted_ring& operator[](ring_of_stage r) { return rings[static_cast<std::size_t>(r)]; }
  const counted_ring& operator[](ring_of_stage r) const { return rings[static_cast<std::size_t>(r)]; }
  friend bool operator==(const counted_stage&, const counted_stage&) = default;
};

/// The exchanges of several chips before their updates.
enum class meeting_of_chips : unsigned char {
  sums,  ///< gradients of weights that each of them has, and those weights behind the update
  told   ///< what all are told of the gradients of each
};
inline constexpr std::size_t meetings_of_chips = 2;

/// A chip where it meets others.
struct chip_meeting {
  cycles before{};    ///< the part of its update since the meeting before
  cycles together{};  ///< beside the update, of all of them at once

  friend bool operator==(const chip_meeting&, const chip_meeting&) = default;
};

/// One chip, in the order of its stages.
struct counted_chip {
  light_vector<counted_stage> stages{};
  cycles clear{};                 ///< before the first micro-batch of a run
  cycles update{};                ///< after the last one, with what it takes over replicas and from streaming memory
  cycles all_reduce{};            ///< the part of that over replicas
  std::array<chip_meeting, meetings_of_chips> meetings{};  ///< by `meeting_of_chips`
  std::array<double, kinds_of_work> shares{};  ///< of its own work, by `work_of_chip`
  light_vector<tile_bytes> tiles{};
  light_vector<std::uint32_t> totals{}; ///< of all uses, on each tile

  chip_meeting& operator[](meeting_of_chips m) { return meetings[static_cast<std::size_t>(m)]; }
  const chip_meeting& operator[](meeting_of_chips m) const { return meetings[static_cast<std::size_t>(m)]; }
  /// Behind all meetings.
  [[nodiscard]] cycles alone() const {
    cycles rest = update;
    for (const chip_meeting& m : meetings) rest -= m.before;
    return rest;
  }
  friend bool operator==(const counted_chip&, const counted_chip&) = default;
};

}  // namespace ipuflow::plan
