// SPDX-License-Identifier: BSL-1.0
// Placement of the variables of one tile that share addresses: largest first, each at the lowest address where nothing lies that
// lives with it. Which variables live together is worked out once for a chip, since its tiles hold parts of the same ones.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/radix_sort.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/program/liveness.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu::impl {

/// Bytes of a tile that have addresses of 32 bits and that reports count.
inline constexpr std::size_t most_counted = 0xffff'ff00;

/// A variable on one tile, and where it goes.
struct sized_variable {
  std::uint32_t variable;
  std::uint32_t size;
  std::uint32_t address = 0;

  friend constexpr bool operator==(const sized_variable&, const sized_variable&) = default;
};

/// Variables begin at multiples of 64 bits.
template <class Size>
[[nodiscard]] constexpr Size aligned(Size size) {
  return (size + 7) / 8 * 8;
}

/// The lives of variables, and which of them meet. Variables have numbers here, by their place in the list.
template <class = void>
class basic_lifetimes {
 public:
  basic_lifetimes(const program_liveness& live, light_span<const std::size_t> variables)
      : words_{(variables.size() + 63) / 64}, meets_(variables.size() * words_, 0) {
    struct turn {
      std::size_t step;
      bool begins;
      std::size_t variable;
    };
    light_vector<turn> turns;
    for (std::size_t v = 0; v < variables.size(); ++v) {
      for (const live_range& r : live.ranges[variables[v]]) {
        turns.push_back({r.begin, true, v});
        turns.push_back({r.end, false, v});
      }
    }
    light_vector<turn> spare(turns.size());
    algorithms::radix_sort(turns.begin(), turns.end(), spare.begin(), [](const turn& t) { return 2 * t.step + (t.begins ? 1 : 0); });
    light_vector<std::uint64_t> now(words_, 0);
    for (const turn& t : turns) {  // of two lives that meet, one begins while the other lasts
      const std::uint64_t bit = std::uint64_t{1} << t.variable % 64;
      now[t.variable / 64] ^= bit;
      for (std::size_t w = 0; t.begins && w < words_; ++w) meets_[t.variable * words_ + w] |= now[w];
    }
    for (std::size_t a = 0; a < variables.size(); ++a) {
      for (std::size_t w = 0; w < words_; ++w) {
        for (std::uint64_t rest = meets_[a * words_ + w]; rest != 0; rest &= rest - 1)
          meets_[(64 * w + static_cast<std::size_t>(std::countr_zero(rest))) * words_ + a / 64] |= std::uint64_t{1} << a % 64;
      }
    }
    for (std::size_t a = 0; a < variables.size(); ++a) {
      first_met_.push_back(met_.size());
      for (std::size_t w = 0; w < words_; ++w) {
        if (const std::uint64_t bits = meets_[a * words_ + w]; bits != 0) met_.push_back({w, bits});
      }
    }
    first_met_.push_back(met_.size());
    for (std::size_t t = 0; t < turns.size(); ++t) {
      if (t > 0 && turns[t].begins && !turns[t - 1].begins) ++phases_;
      turns[t].step = turns[t].begins ? phases_ : phases_ + 1;
    }
    ++phases_;
    algorithms::radix_sort(turns.begin(), turns.end(), spare.begin(), [](const turn& t) { return t.variable; });
    for (const turn& t : turns) {
      first_turn_.resize(t.variable + 1, turns_.size());
      turns_.push_back(t.step);
    }
    first_turn_.resize(variables.size() + 1, turns_.size());
  }

  [[nodiscard]] std::size_t count() const { return first_met_.size() - 1; }
  /// Words with a bit for each variable.
  [[nodiscard]] std::size_t words() const { return words_; }

  /// Calls `visit(other)` for those of `some`, of which each has a bit, that a variable is live with. It may be one of them.
  template <class Visit>
  void for_each_met(std::size_t variable, light_span<const std::uint64_t> some, Visit&& visit) const {
    for (std::size_t i = first_met_[variable]; i < first_met_[variable + 1]; ++i) {
      for (std::uint64_t rest = met_[i].bits & some[met_[i].place]; rest != 0; rest &= rest - 1)
        visit(64 * met_[i].place + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

  /// True if two variables are live at the same step.
  [[nodiscard]] bool meet(std::size_t a, std::size_t b) const { return (meets_[a * words_ + b / 64] >> b % 64 & 1) != 0; }

  /// The most bytes that are live at any step.
  [[nodiscard]] std::size_t peak(light_span<const sized_variable> placed) const {
    light_vector<std::size_t> change(phases_ + 1, 0);
    for (const sized_variable& v : placed) {
      for (std::size_t t = first_turn_[v.variable]; t < first_turn_[v.variable + 1]; t += 2) {
        change[turns_[t]] += v.size;
        change[turns_[t + 1]] -= v.size;  // wraps around on purpose: only sums are read
      }
    }
    std::size_t now = 0, most = 0;
    for (const std::size_t c : change) most = algorithms::max(most, now += c);
    return most;
  }

 private:
  struct word_of_bits {
    std::size_t place;
    std::uint64_t bits;
  };

  std::size_t words_;
  light_vector<std::uint64_t> meets_;     // a row of bits for each variable
  light_vector<word_of_bits> met_;        // the words of it that are not 0: few, as most variables live shortly
  light_vector<std::size_t> first_met_;   // of each variable
  std::size_t phases_ = 0;               // in each of them lives begin, then lives end
  light_vector<std::size_t> turns_;       // phases of each life: the first, and the one behind the last
  light_vector<std::size_t> first_turn_;  // of each variable
};
using lifetimes = basic_lifetimes<>;

/// Gives each variable, by its number among the lives, an address at which nothing lives that lives with it; returns the end
/// of the last, or that of the first that is beyond all addresses. They come in the order of their numbers.
template <class = void>
[[nodiscard]] inline std::size_t place(light_vector<sized_variable>& wanted, const lifetimes& lives) {
  light_vector<sized_variable> spare(wanted.size());
  algorithms::radix_sort(wanted.begin(), wanted.end(), spare.begin(), [](const sized_variable& v) { return ~v.size; });  // largest first
  struct span_of_addresses {
    std::uint32_t begin = 0, end = 0;
  };
  std::size_t end = 0;
  light_vector<span_of_addresses> at(lives.count());
  light_vector<std::uint64_t> placed(lives.words(), 0);
  light_vector<span_of_addresses> beside;  // of one variable
  for (sized_variable& v : wanted) {
    beside.clear();
    bool moved = false;
    lives.for_each_met(v.variable, placed, [&](std::size_t other) {
      if (at[other].end <= v.address) return;  // it ends below, and is no longer in the way
      if (at[other].begin >= v.address + v.size) return beside.push_back(at[other]);
      v.address = at[other].end;
      moved = true;
    });
    for (int rounds = 0; moved && rounds < 4; ++rounds) {
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
    if (moved) {  // still: what is left goes by in order, once
      algorithms::sort(beside.begin(), beside.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
      for (const span_of_addresses& other : beside) {
        if (other.begin >= v.address + v.size) break;
        v.address = algorithms::max(v.address, other.end);
      }
    }
    end = algorithms::max(end, std::size_t{v.address} + v.size);
    if (end > most_counted) return end;
    at[v.variable] = {v.address, v.address + aligned(v.size)};
    placed[v.variable / 64] |= std::uint64_t{1} << v.variable % 64;
  }
  return end;
}

}  // namespace ipuflow::ipu::impl
