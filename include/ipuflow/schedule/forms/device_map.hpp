// SPDX-License-Identifier: BSL-1.0
// The IPUs of every stage as a list: stages may share an IPU, and a stage may be on several at once, each IPU running
// a branch of it (concurrent stages). A `seat` is a stage on one of its IPUs.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/schedule/op.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ipuflow::schedule {

namespace impl {

/// The IPUs of one concurrent stage, in the order of its branches.
template <std::size_t Branches>
struct on_ipus_t {
  std::size_t ipu[Branches]{};
};

}  // namespace impl

template <std::convertible_to<std::size_t>... Ipu>
[[nodiscard]] constexpr impl::on_ipus_t<sizeof...(Ipu)> on_ipus(Ipu... ipu) {
  return {{static_cast<std::size_t>(ipu)...}};
}

/// Up to `Seats` seats, ordered by stage.
template <std::size_t Seats>
struct device_map {
  struct branch {
    std::size_t stage = 0;
    std::size_t ipu = 0;

    friend constexpr bool operator==(const branch&, const branch&) = default;
  };

  std::size_t ipus = 0;
  std::size_t stages = 0;
  std::size_t micro_batches = 0;
  bounded_vector<branch, Seats> taken{};
  bounded_vector<std::size_t, Seats> delays{};  ///< of the members of a group, where they are not evenly apart

  friend constexpr bool operator==(const device_map&, const device_map&) = default;

  /// Puts the next branch of `stage` on an IPU. Stages are added in ascending order.
  constexpr void add(std::size_t stage, std::size_t ipu) {
    taken.push_back({stage, ipu});
    if (stage >= stages) stages = stage + 1;
    if (ipu >= ipus) ipus = ipu + 1;
  }

  constexpr std::size_t seats() const { return taken.size(); }
  /// The first seat of a stage; of the stage after the last, one past the last seat.
  constexpr std::size_t first_seat(std::size_t stage) const {
    std::size_t low = 0;
    std::size_t high = taken.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (taken[middle].stage < stage) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  constexpr std::size_t ipu_of(std::size_t seat, std::size_t) const { return taken[seat].ipu; }
  constexpr std::size_t seat_of(std::size_t ipu, std::size_t stage, std::size_t) const {
    for (std::size_t i = first_seat(stage); i < taken.size() && taken[i].stage == stage; ++i) {
      if (taken[i].ipu == ipu) return i;
    }
    return nowhere;
  }

  constexpr std::size_t delay(std::size_t member) const { return delays.empty() ? member : delays[member]; }
  constexpr std::size_t member_at(std::size_t wanted) const {
    if (delays.empty()) return wanted;
    for (std::size_t member = 0; member < delays.size(); ++member) {
      if (delays[member] == wanted) return member;
    }
    return nowhere;
  }
  constexpr std::size_t directions() const { return 1; }
  constexpr std::size_t direction_of(std::size_t) const { return 0; }
  constexpr std::size_t chunks(std::size_t ipu) const {
    std::size_t count = 0;
    for (const branch& b : taken) count += b.ipu == ipu ? 1 : 0;
    return count;
  }
  constexpr std::size_t stage_of(std::size_t ipu, std::size_t chunk) const {
    for (const branch& b : taken) {
      if (b.ipu == ipu && chunk-- == 0) return b.stage;
    }
    return nowhere;
  }
};

namespace impl {

template <class T>
inline constexpr std::size_t branches_of = 1;
template <std::size_t Branches>
inline constexpr std::size_t branches_of<on_ipus_t<Branches>> = Branches;

constexpr on_ipus_t<1> branches(std::size_t ipu) { return {{ipu}}; }
template <std::size_t Branches>
constexpr on_ipus_t<Branches> branches(on_ipus_t<Branches> on) {
  return on;
}

}  // namespace impl

/// One argument for each stage: its IPU, or `on_ipus(1, 2)` for a stage of two concurrent branches.
template <class... Stage>
[[nodiscard]] constexpr auto devices(Stage... stage) {
  device_map<(0 + ... + impl::branches_of<Stage>)> map;
  std::size_t next = 0;
  const auto add = [&map, &next](const auto& branches) {
    for (const std::size_t ipu : branches.ipu) map.add(next, ipu);
    ++next;
  };
  (add(impl::branches(static_cast<std::conditional_t<std::is_integral_v<Stage>, std::size_t, Stage>>(stage))), ...);
  return map;
}

}  // namespace ipuflow::schedule
