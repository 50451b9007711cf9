// SPDX-License-Identifier: BSL-1.0
// A prediction of a step: its time by use, and the bytes of the fullest tile of each chip. All is of the chip that takes longest and of
// the tile that is fullest.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/predict/chip_memory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::plan {

/// The kinds of time in a step, as the chip that works most spends it.
enum class time_use : unsigned char {
  compute,
  exchange,    ///< between tiles, with the syncs of a chip
  copies,      ///< between chips
  streaming,   ///< from and to streaming memory
  all_reduce,  ///< over replicas
  update,      ///< of parameters, with what clears the sums of gradients
  host,        ///< transfers, calls, and waiting for data
  bubble       ///< waiting for other chips
};
inline constexpr std::size_t time_uses = 8;

[[nodiscard]] constexpr std::string_view name_of(time_use u) {
  constexpr std::string_view names[] = {"compute", "exchange", "copies", "streaming", "all-reduce", "update", "host", "bubble"};
  return names[static_cast<std::size_t>(u)];
}

struct prediction {
  cycles total{};                           ///< of a step
  hertz clock{};
  std::size_t samples = 0;                  ///< of a step
  std::array<cycles, time_uses> by_use{};   ///< of the total, as the chip that works most spends it
  std::size_t busiest = 0;                  ///< that chip
  light_vector<cycles> busy{};               ///< of each chip of a replica
  light_vector<std::uint64_t> from_host{};   ///< bytes in a step, of each chip of a replica
  light_vector<std::uint64_t> to_host{};
  light_vector<chip_memory> memory{};        ///< of each chip of a replica
  bytes tile_memory{};                      ///< that a tile has
  bytes code_region{};                      ///< of it, for code

  [[nodiscard]] cycles operator[](time_use u) const { return by_use[static_cast<std::size_t>(u)]; }
  [[nodiscard]] seconds time() const { return total.value == 0 ? seconds{} : total / clock; }
  /// 0 where a step takes no time.
  [[nodiscard]] double samples_per_second() const { return total.value == 0 ? 0 : static_cast<double>(samples) / time().value; }
  /// The chip whose fullest tile is fullest.
  [[nodiscard]] std::size_t fullest() const {
    std::size_t most = 0;
    for (std::size_t c = 0; c < memory.size(); ++c) {
      if (memory[c].bytes.total() > memory[most].bytes.total()) most = c;
    }
    return most;
  }
  /// The use that takes most of the time.
  [[nodiscard]] time_use bound() const {
    return static_cast<time_use>(algorithms::max_element(by_use.begin(), by_use.end()) - by_use.begin());
  }
  friend bool operator==(const prediction&, const prediction&) = default;
};

}  // namespace ipuflow::plan
