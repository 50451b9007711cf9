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
      for (std::size_t b = 0; b < a; ++b) {
        if (meet(a, b) || meet(b, a)) mark(a, b), mark(b, a);
      }
    }
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

  void mark(std::size_t a, std::size_t b) { meets_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64; }

  std::size_t words_;
  std::vector<std::uint64_t> meets_;  // a row of bits for each variable
  std::vector<turn> turns_;           // in order; what ends at a step before what begins there
};
using lifetimes = basic_lifetimes<>;

/// Gives each variable, by its number among the lives, an address at which nothing lives that lives with it; returns the end of the last.
template <class = void>
[[nodiscard]] inline std::size_t place(std::vector<sized_variable>& wanted, const lifetimes& lives) {
  std::sort(wanted.begin(), wanted.end(), [](const sized_variable& a, const sized_variable& b) {
    return a.size != b.size ? a.size > b.size : a.variable < b.variable;
  });
  struct placed_variable {  // small: a tile has thousands, and all are looked at for each
    std::uint32_t variable, begin, end;
  };
  std::size_t end = 0;
  std::vector<placed_variable> placed;  // by address
  placed.reserve(wanted.size());
  for (sized_variable& v : wanted) {
    for (const placed_variable& other : placed) {
      if (!lives.meet(v.variable, other.variable)) continue;
      if (other.begin >= v.address + v.size) break;
      v.address = std::max<std::size_t>(v.address, other.end);
    }
    end = std::max(end, v.address + v.size);
    const auto behind = std::upper_bound(placed.begin(), placed.end(), v.address,
                                         [](std::size_t at, const placed_variable& p) { return at < p.begin; });
    const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    placed.insert(behind, {number(v.variable), number(v.address), number(v.address + aligned(v.size))});
  }
  return end;
}

}  // namespace ipuflow::ipu::impl
