// SPDX-License-Identifier: BSL-1.0
// Distributions of numbers, such as the weights and the gradients of each layer, by powers of two: where they lie within
// the range of half precision, and which of them it would lose.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace ipuflow::report {

/// A distribution of numbers over powers of two. Mean, deviation and powers are of those that are finite.
struct distribution {
  static constexpr int least_power = -40;
  static constexpr int most_power = 23;

  std::uint64_t count = 0;                                           ///< of all numbers
  std::uint64_t zeros = 0;                                           ///< exactly zero
  std::uint64_t not_finite = 0;                                      ///< infinite, or no number
  double mean = 0;                                                   ///< sum over count
  double deviation = 0;                                              ///< standard
  double largest = 0;                                                ///< magnitude
  std::uint64_t lost_in_half = 0;                                    ///< not zero, but half precision rounds them to zero
  std::uint64_t subnormal_in_half = 0;                               ///< kept there with fewer bits
  std::uint64_t infinite_in_half = 0;                                ///< finite, but too large
  std::array<std::uint64_t, most_power - least_power + 1> powers{};  ///< magnitudes from 2^p to 2^(p+1); ends have what is beyond

  [[nodiscard]] std::uint64_t with_power(int p) const { return powers[static_cast<std::size_t>(p - least_power)]; }
  friend bool operator==(const distribution&, const distribution&) = default;
};

/// Under a name, as tables and pictures show it.
struct named_distribution {
  std::string name{};  ///< of the tensor
  distribution of{};   ///< its numbers
};

template <class Number, std::size_t Extent>
[[nodiscard]] distribution distribution_of(std::span<Number, Extent> numbers) {
  distribution d{.count = numbers.size()};
  double sum = 0;
  for (const auto& n : numbers) {
    const auto x = static_cast<double>(n);
    const double size = math::abs(x);
    if (!math::is_finite(x)) {
      ++d.not_finite;
      continue;
    }
    sum += x;
    if (size > d.largest) d.largest = size;
    if (size == 0) {
      ++d.zeros;
      continue;
    }
    const int power = math::exponent(size);
    const int shown = power < d.least_power ? d.least_power : power > d.most_power ? d.most_power : power;
    ++d.powers[static_cast<std::size_t>(shown - d.least_power)];
    d.lost_in_half += size <= 0x1p-25 ? 1u : 0u;  // a half of the smallest; the tie goes to zero
    d.subnormal_in_half += size > 0x1p-25 && size < 0x1p-14 ? 1u : 0u;
    d.infinite_in_half += size >= 65520 ? 1u : 0u;
  }
  const auto finite = static_cast<double>(d.count - d.not_finite);
  if (finite == 0) return d;
  d.mean = sum / finite;
  double squares = 0;
  for (const auto& n : numbers) {
    const double away = static_cast<double>(n) - d.mean;
    if (math::is_finite(away)) squares += away * away;
  }
  d.deviation = math::sqrt(squares / finite);
  return d;
}

namespace impl {

/// "1.23e-04": the same on every machine, whatever its locale.
template <class = void>
[[nodiscard]] inline std::string scientific(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 2).ptr};
}

}  // namespace impl

/// A table with a line for each: how many are zero or not finite, and what half precision would lose of them.
template <class = void>
[[nodiscard]] std::string distribution_text(light_span<const named_distribution> all) {
  text_table t({"", "numbers", "mean", "deviation", "largest", "zero %", "lost in half %", "subnormal %", "too large %", "not finite"});
  for (const named_distribution& one : all) {
    const distribution& d = one.of;
    const auto part = [&](std::uint64_t n) { return impl::percent(n, d.count); };
    t.row({one.name, impl::with_commas(d.count), impl::scientific(d.mean), impl::scientific(d.deviation), impl::scientific(d.largest),
           part(d.zeros), part(d.lost_in_half), part(d.subnormal_in_half), part(d.infinite_in_half), impl::with_commas(d.not_finite)});
  }
  return t.text(120);
}

}  // namespace ipuflow::report
