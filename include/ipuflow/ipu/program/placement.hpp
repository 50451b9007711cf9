// SPDX-License-Identifier: BSL-1.0
// Placement of the variables of one tile that share addresses: largest first, each at the lowest address where nothing lies that
// lives with it. Which variables live together is worked out once for a chip, since its tiles hold parts of the same ones.
#pragma once

#include <ipuflow/ipu/program/liveness.hpp>

#include <algorithm>
#include <bit>
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
  basic_lifetimes(const program_liveness& live, std::span<const std::size_t> variables)
      : words_{(variables.size() + 63) / 64}, meets_(variables.size() * words_, 0) {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      for (const live_range& r : live.ranges[variables[v]]) {
        turns_.push_back({r.begin, true, v});
        turns_.push_back({r.end, false, v});
      }
    }
    std::sort(turns_.begin(), turns_.end(), [](const turn& a, const turn& b) {
      return a.step != b.step ? a.step < b.step : a.begins != b.begins ? b.begins : a.variable < b.variable;
    });
    std::vector<std::uint64_t> now(words_, 0);
    for (const turn& t : turns_) {  // of two lives that meet, one begins while the other lasts
      const std::uint64_t bit = std::uint64_t{1} << t.variable % 64;
      now[t.variable / 64] ^= bit;
      for (std::size_t w = 0; t.begins && w < words_; ++w) meets_[t.variable * words_ + w] |= now[w];
    }
    for (std::size_t a = 0; a < variables.size(); ++a) {
      const std::uint64_t bit = std::uint64_t{1} << a % 64;
      for_each_met(a, [&](std::size_t b) { meets_[b * words_ + a / 64] |= bit; });
    }
    for (std::size_t a = 0; a < variables.size(); ++a) {
      ends_.push_back(met_.size());
      for_each_met(a, [&](std::size_t b) { met_.push_back(static_cast<std::uint32_t>(b)); });
    }
    ends_.push_back(met_.size());
  }

  [[nodiscard]] std::size_t count() const { return ends_.size() - 1; }
  /// The variables that a variable is live with: few of them, as most live shortly. It may be one of them.
  [[nodiscard]] std::span<const std::uint32_t> met_by(std::size_t variable) const {
    return std::span{met_}.subspan(ends_[variable], ends_[variable + 1] - ends_[variable]);
  }

  /// True if two variables are live at the same step.
  [[nodiscard]] bool meet(std::size_t a, std::size_t b) const { return (meets_[a * words_ + b / 64] >> b % 64 & 1) != 0; }

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

  template <class Visit>
  void for_each_met(std::size_t a, Visit visit) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t rest = meets_[a * words_ + w]; rest != 0; rest &= rest - 1)
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

  std::size_t words_;
  std::vector<std::uint64_t> meets_;  // a row of bits for each variable
  std::vector<std::uint32_t> met_;    // the same as lists, one behind the other
  std::vector<std::size_t> ends_;     // of the list before each variable's
  std::vector<turn> turns_;           // in order; what ends at a step before what begins there
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
  std::vector<span_of_addresses> beside;  // of one variable
  for (sized_variable& v : wanted) {
    beside.clear();
    if (const auto met = lives.met_by(v.variable); placed.size() < met.size()) {
      for (const std::uint32_t other : placed) {
        if (lives.meet(v.variable, other)) beside.push_back(at[other]);
      }
    } else {
      for (const std::uint32_t other : met) {
        if (at[other].end > 0) beside.push_back(at[other]);
      }
    }
    for (bool moved = true; moved;) {  // what ends below the address is no longer in the way
      moved = false;
      std::size_t left = 0;
      for (const span_of_addresses& other : beside) {
        if (other.end <= v.address) continue;
        if (other.begin < v.address + v.size) {
          v.address = other.end;
          moved = true;
        } else {
          beside[left++] = other;
        }
      }
      beside.resize(left);
    }
    end = std::max(end, v.address + v.size);
    at[v.variable] = {static_cast<std::uint32_t>(v.address), static_cast<std::uint32_t>(v.address + aligned(v.size))};
    placed.push_back(static_cast<std::uint32_t>(v.variable));
  }
  return end;
}

}  // namespace ipuflow::ipu::impl
