// SPDX-License-Identifier: BSL-1.0
// Placement of the variables of one tile that share addresses: largest first, each at the lowest address where nothing lies that
// lives with it. Which variables live together is worked out once for a chip, since its tiles hold parts of the same ones.
#pragma once

#include <ipuflow/ipu/program/liveness.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ipuflow::ipu::impl {

/// A variable on one tile, and where it goes.
struct sized_variable {
  std::size_t variable;
  std::size_t size;
  std::size_t address = 0;

  friend constexpr bool operator==(const sized_variable&, const sized_variable&) = default;
};

/// Variables begin at multiples of 64 bits.
[[nodiscard]] constexpr std::size_t aligned(std::size_t size) { return (size + 7) / 8 * 8; }

/// The lives of variables, and which of them meet. Variables have numbers here, by their place in the list.
template <class = void>
class basic_lifetimes {
 public:
  basic_lifetimes(const program_liveness& live, std::span<const std::size_t> variables) : met_(variables.size()) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      ranges_.push_back(live.ranges[variables[v]]);
      for (const live_range& r : ranges_.back()) {
        turns_.push_back({r.begin, true, v});
        turns_.push_back({r.end, false, v});
      }
    }
    std::sort(turns_.begin(), turns_.end(), [](const turn& a, const turn& b) {
      return a.step != b.step ? a.step < b.step : a.begins != b.begins ? b.begins : a.variable < b.variable;
    });
    std::vector<std::uint32_t> now;
    for (const turn& t : turns_) {  // of two lives that meet, one begins while the other lasts
      const auto v = static_cast<std::uint32_t>(t.variable);
      if (t.begins) {
        for (const std::uint32_t other : now) met_[v].push_back(other), met_[other].push_back(v);
        now.push_back(v);
      } else {
        *std::find(now.begin(), now.end(), v) = now.back();
        now.pop_back();
      }
    }
  }

  [[nodiscard]] std::size_t count() const { return met_.size(); }
  /// The variables that a variable is live with, some of them twice: most live shortly, and with few.
  [[nodiscard]] std::span<const std::uint32_t> met_by(std::size_t variable) const { return met_[variable]; }
  /// True if two variables are live at the same step.
  [[nodiscard]] bool meet(std::size_t a, std::size_t b) const {
    auto x = ranges_[a].begin();
    auto y = ranges_[b].begin();
    while (x != ranges_[a].end() && y != ranges_[b].end()) {
      if (x->begin < y->end && y->begin < x->end) return true;
      x->end < y->end ? void(++x) : void(++y);
    }
    return false;
  }

  /// The most bytes that are live at any step, from the bytes of each variable.
  [[nodiscard]] std::size_t peak(std::span<const std::size_t> sizes) const {
    std::size_t now = 0;
    std::size_t most = 0;
    for (const turn& t : turns_) {
      if (t.begins)
        most = std::max(most, now += sizes[t.variable]);
      else
        now -= sizes[t.variable];
    }
    return most;
  }

 private:
  struct turn {
    std::size_t step;
    bool begins;
    std::size_t variable;
  };

  std::vector<std::vector<live_range>> ranges_;  // in order
  std::vector<std::vector<std::uint32_t>> met_;
  std::vector<turn> turns_;                      // in order; what ends at a step before what begins there
};
using lifetimes = basic_lifetimes<>;

/// Gives each variable, by its number among the lives, an address at which nothing lives that lives with it; returns the end of the last.
template <class = void>
[[nodiscard]] inline std::size_t place(std::vector<sized_variable>& wanted, const lifetimes& lives) {
  std::sort(wanted.begin(), wanted.end(), [](const sized_variable& a, const sized_variable& b) {
    return a.size != b.size ? a.size > b.size : a.variable < b.variable;
  });
  struct span_of_addresses {
    std::uint32_t begin = 0, end = 0;  // both 0: not placed yet
  };
  std::size_t end = 0;
  std::vector<span_of_addresses> at(lives.count());
  std::vector<std::uint32_t> placed;
  std::vector<span_of_addresses> beside;  // of one variable, by address
  for (sized_variable& v : wanted) {
    beside.clear();
    const std::span<const std::uint32_t> met = lives.met_by(v.variable);
    constexpr std::size_t search = 8;  // looking up one of the placed ones takes as long as some of a list [assumed]
    if (search * placed.size() < met.size()) {
      for (const std::uint32_t other : placed) {
        if (lives.meet(v.variable, other)) beside.push_back(at[other]);
      }
    } else {
      for (const std::uint32_t other : met) {
        if (at[other].end > 0) beside.push_back(at[other]);
      }
    }
    std::sort(beside.begin(), beside.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (const span_of_addresses& other : beside) {
      if (other.begin >= v.address + v.size) break;
      v.address = std::max<std::size_t>(v.address, other.end);
    }
    end = std::max(end, v.address + v.size);
    at[v.variable] = {static_cast<std::uint32_t>(v.address), static_cast<std::uint32_t>(v.address + aligned(v.size))};
    placed.push_back(static_cast<std::uint32_t>(v.variable));
  }
  return end;
}

}  // namespace ipuflow::ipu::impl
