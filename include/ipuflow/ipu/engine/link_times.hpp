// SPDX-License-Identifier: BSL-1.0
// The links between chips in time, and behind them the ports of hosts and of streaming memory: a transfer takes every link on
// its way as long as its bytes need, and begins when all of them are free for so long.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/busy_spans.hpp>
#include <ipuflow/ipu/machine/links.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

template <class = void>
class basic_link_times {
 public:
  explicit basic_link_times(const chip_system& all)
      : chips_{all.chips}, per_machine_{all.chips_per_machine}, links_(link_count(all) + machines(all) + all.chips) {}

  /// The host's port, which the chips of a machine share, and what a chip has of streaming memory.
  [[nodiscard]] std::size_t host_port(std::size_t place) const { return host_ports() + place / per_machine_; }
  [[nodiscard]] std::size_t streaming_port(std::size_t place) const { return links_.size() - chips_ + place; }

  /// The first time from `from` on at which all of these links are free for so long.
  [[nodiscard]] std::uint64_t free_for(light_span<const std::size_t> way, std::uint64_t from, std::uint64_t length) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t link : way) {
        const std::uint64_t free = links_[link].free_for(from, length);
        moved = moved || free != from;
        from = free;
      }
    }
    return from;
  }

  /// Takes links that are free then.
  void take(light_span<const std::size_t> way, std::uint64_t from, std::uint64_t length) {
    for (const std::size_t link : way) links_[link].take(from, length);
  }

  /// Calls `visit(time)` for each time there is, in the order of time on each link.
  template <class Visit>
  void each_time(Visit visit) {
    for (busy_spans& link : links_) link.each_time(visit);
  }

 private:
  [[nodiscard]] std::size_t host_ports() const { return links_.size() - chips_ - (chips_ + per_machine_ - 1) / per_machine_; }

  std::size_t chips_;
  std::size_t per_machine_;
  light_vector<busy_spans> links_;
};
using link_times = basic_link_times<>;

}  // namespace ipuflow::ipu::impl
