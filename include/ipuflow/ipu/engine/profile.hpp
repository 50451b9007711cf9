// SPDX-License-Identifier: BSL-1.0
// The profile of a run: cycles by phase on each chip, the busy cycles of each tile, bytes by the medium that moves
// them, and memory. Both engines fill in the same record; amounts add up, and a repeat multiplies them.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/program/activity.hpp>
#include <ipuflow/ipu/program/codelet.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>
#include <ipuflow/ipu/program/phase.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

/// The bytes that moved.
struct traffic {
  std::uint64_t exchanged = 0;      ///< as received, so a word for many tiles counts for each
  std::uint64_t host_in = 0;        ///< from the host
  std::uint64_t host_out = 0;       ///< to the host
  std::uint64_t chip_in = 0;        ///< from other chips
  std::uint64_t chip_out = 0;       ///< to other chips
  std::uint64_t streaming_in = 0;   ///< from streaming memory
  std::uint64_t streaming_out = 0;  ///< to streaming memory

  constexpr void add(const traffic& other, std::uint64_t times) {
    exchanged += other.exchanged * times;
    host_in += other.host_in * times;
    host_out += other.host_out * times;
    chip_in += other.chip_in * times;
    chip_out += other.chip_out * times;
    streaming_in += other.streaming_in * times;
    streaming_out += other.streaming_out * times;
  }
  friend constexpr bool operator==(const traffic&, const traffic&) = default;
};

/// One chip's share of a run. `by_phase` counts this chip's own work; the rest of the total it waits for other chips.
struct chip_profile {
  std::array<cycles, impl::phase_count> by_phase{};  ///< this chip's own cycles, by `phase`
  cycles tile_busy;                             ///< summed over tiles, with idle workers
  cycles tile_issued;                           ///< summed over tiles, only cycles in which a worker issues
  std::uint64_t flops = 0;                      ///< floating-point operations
  std::uint64_t vertices = 0;                   ///< run
  std::uint64_t supersteps = 0;                 ///< of sync, exchange and compute
  traffic moved;                                ///< bytes in and out

  constexpr cycles operator[](phase p) const { return by_phase[static_cast<std::size_t>(p)]; }
  constexpr cycles& operator[](phase p) { return by_phase[static_cast<std::size_t>(p)]; }
  constexpr void add(const chip_profile& other, std::uint64_t times) {
    for (std::size_t p = 0; p < impl::phase_count; ++p) by_phase[p] += other.by_phase[p] * times;
    tile_busy += other.tile_busy * times;
    tile_issued += other.tile_issued * times;
    flops += other.flops * times;
    vertices += other.vertices * times;
    supersteps += other.supersteps * times;
    moved.add(other.moved, times);
  }
  friend constexpr bool operator==(const chip_profile&, const chip_profile&) = default;
};

/// All vertices of one codelet.
struct codelet_profile {
  name_text name;              ///< of the codelet
  std::uint64_t vertices = 0;  ///< run
  cycles alone;                ///< as if each had its tile for itself, summed
  std::uint64_t flops = 0;     ///< floating-point operations
  bytes code{};                ///< on each tile that has any of them

  friend constexpr bool operator==(const codelet_profile&, const codelet_profile&) = default;
};

/// The cycles and bytes of a run.
struct profile {
  cycles total;                           ///< from start to end, of all chips together
  std::size_t tiles_per_chip = 0;         ///< of the architecture
  bytes tile_memory{};                    ///< that a tile has
  hertz clock;                            ///< cycles a second
  light_vector<chip_profile> chips;        ///< of one replica
  light_vector<cycles> tile_busy;          ///< of every tile of one replica
  light_vector<codelet_profile> codelets;  ///< those that ran
  memory_report memory;                   ///< of every tile
  std::size_t replicas = 1;               ///< that ran side by side
  light_vector<activity> activities{};     ///< of labelled steps
  light_vector<light_vector<phase_run>> phases{};  ///< of activities, by their number; each list once

  [[nodiscard]] seconds time() const { return total / clock; }

  /// Cycles of a phase, averaged over chips.
  [[nodiscard]] double average(phase p) const {
    double sum = 0;
    for (const chip_profile& c : chips) sum += static_cast<double>(c[p].value);
    return chips.empty() ? 0 : sum / static_cast<double>(chips.size());
  }

  /// Cycles in which a chip waits for others.
  [[nodiscard]] cycles waiting(std::size_t chip) const {
    cycles own;
    for (const cycles c : chips[chip].by_phase) own += c;
    return total > own ? total - own : cycles{};
  }

  /// The evenness of compute: mean over tiles of busy cycles by the cycles of the compute phase.
  [[nodiscard]] double balance(std::size_t chip) const {
    const double longest = static_cast<double>(chips[chip][phase::compute].value * tiles_per_chip);
    return longest > 0 ? static_cast<double>(chips[chip].tile_busy.value) / longest : 1.0;
  }

  /// The part of all cycles of all tiles in which they compute.
  [[nodiscard]] double utilisation(std::size_t chip) const {
    const double all = static_cast<double>(total.value * tiles_per_chip);
    return all > 0 ? static_cast<double>(chips[chip].tile_busy.value) / all : 0.0;
  }

  /// Floating-point operations a second of all replicas.
  [[nodiscard]] double flops() const {
    double sum = 0;
    for (const chip_profile& c : chips) sum += static_cast<double>(c.flops);
    return total.value == 0 ? 0 : sum * static_cast<double>(replicas) / time().value;
  }

  friend bool operator==(const profile&, const profile&) = default;
};

}  // namespace ipuflow::ipu
