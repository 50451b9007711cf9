// SPDX-License-Identifier: BSL-1.0
// Cycles of one exchange between the tiles of a chip. Every tile puts at most one word a cycle on its bus and takes at
// most one off, both at once; any number of tiles may listen to the same word; two tiles of a pair that take the same
// word do so at double width. The time is a fixed latency and then that of the busiest tile. Source: poplibs,
// popops/ExchangeEstimator.cpp.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

/// Bytes through each tile's bus, of one exchange on one chip.
template <class = void>
class basic_exchange_load {
 public:
  constexpr explicit basic_exchange_load(std::size_t tiles, std::size_t tiles_per_bus = 2)
      : sent_(tiles, 0), received_(tiles, 0), shared_(tiles, 0), tiles_per_bus_{tiles_per_bus} {}

  /// The same bytes from one tile to all of `to`, which are in ascending order. Bytes that stay on a tile cost nothing
  /// here.
  constexpr void send(std::size_t from, light_span<const std::size_t> to, std::uint64_t size) {
    bool leaves = false;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == from) continue;
      leaves = true;
      received_[to[i]] += size;
      total_ += size;
      if (pair_listens(to, i, from)) shared_[to[i]] += size;
    }
    if (leaves) sent_[from] += size;
  }

  [[nodiscard]] constexpr std::uint64_t sent(std::size_t tile) const { return sent_[tile]; }
  [[nodiscard]] constexpr std::uint64_t received(std::size_t tile) const { return received_[tile]; }
  /// Bytes that arrive on all tiles together.
  [[nodiscard]] constexpr std::uint64_t total() const { return total_; }
  [[nodiscard]] constexpr std::size_t tiles() const { return sent_.size(); }

  /// Cycles in which a tile's bus is in use: what it shares with its neighbour comes at double width.
  [[nodiscard]] constexpr std::uint64_t busy(std::size_t tile, const architecture& chip) const {
    const std::uint64_t in =
        divided_up(received_[tile] - shared_[tile] + divided_up(shared_[tile], tiles_per_bus_), chip.exchange_width);
    const std::uint64_t out = divided_up(sent_[tile], chip.exchange_width);
    return in > out ? in : out;
  }

 private:
  /// True if every tile of the bus of `to[i]` takes the same bytes.
  constexpr bool pair_listens(light_span<const std::size_t> to, std::size_t i, std::size_t from) const {
    if (tiles_per_bus_ < 2 || to.size() < tiles_per_bus_) return false;
    const std::size_t first = to[i] - to[i] % tiles_per_bus_;
    std::size_t begin = i;
    while (begin > 0 && to[begin - 1] >= first) --begin;
    std::size_t listening = 0;
    for (std::size_t k = begin; k < to.size() && to[k] < first + tiles_per_bus_; ++k) {
      if (to[k] != from) ++listening;
    }
    return listening == tiles_per_bus_;
  }

  light_vector<std::uint64_t> sent_;
  light_vector<std::uint64_t> received_;
  light_vector<std::uint64_t> shared_;
  std::size_t tiles_per_bus_;
  std::uint64_t total_ = 0;
};
using exchange_load = basic_exchange_load<>;

/// The time of an exchange; none if nothing leaves its tile.
template <class = void>
[[nodiscard]] constexpr cycles exchange_time(const exchange_load& load, const architecture& chip) {
  std::uint64_t longest = 0;
  for (std::size_t tile = 0; tile < load.tiles(); ++tile) {
    const std::uint64_t busy = load.busy(tile, chip);
    longest = busy > longest ? busy : longest;
  }
  return longest == 0 ? cycles{} : chip.exchange_latency + cycles{longest};
}

}  // namespace impl

}  // namespace ipuflow::ipu
