// SPDX-License-Identifier: BSL-1.0
// Counts that cannot be mixed up: bytes, cycles and samples are whole numbers, seconds and hertz are real ones.
// Whole numbers are checked: what would wrap around throws, and is a compile error in a constant.
#pragma once

#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__  // here, as all that computes with numbers counts in these units
#error "ipuflow: a value that is infinite or no number would be found no more; compile without -ffast-math, -Ofast and -ffinite-math-only"
#elif defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)  // g++ tells; clang does not
#error "ipuflow: sums that round on purpose would round no more; compile without -funsafe-math-optimizations, -fassociative-math and -freciprocal-math"
#endif

#include <ipuflow/core/fault.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow {

enum class arithmetic_wrong : unsigned char { nothing, sum_too_large, negative, product_too_large, by_zero, no_count, no_proportion };
using arithmetic_fault = fault<arithmetic_wrong>;

constexpr const char* wording(arithmetic_wrong wrong) {
  switch (wrong) {
    case arithmetic_wrong::nothing:
      break;
    case arithmetic_wrong::sum_too_large:
      return "ipuflow: a count overflows in {got} + {limit}; keep it below 2 to the 64";
    case arithmetic_wrong::negative:
      return "ipuflow: a count would be negative in {got} - {limit}; compare before you subtract";
    case arithmetic_wrong::product_too_large:
      return "ipuflow: a count overflows in {got} * {limit}; keep it below 2 to the 64";
    case arithmetic_wrong::no_count:
      return "ipuflow: a time is negative or longer than cycles can count; keep it below 2 to the 64 cycles";
    case arithmetic_wrong::no_proportion:
      return "ipuflow: a proportion of bytes is negative, more than all of them or no number; give one from 0 to 1";
    case arithmetic_wrong::by_zero:
      return "ipuflow: a count is divided by zero: {got} / {limit}; give a divisor of at least 1";
  }
  return "";
}

/// `got` and `limit` are the two operands.
constexpr message_text sentence(const arithmetic_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

/// A whole number of `Unit`s.
template <class Unit>
struct count_of {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(const count_of&, const count_of&) = default;

  friend constexpr count_of operator+(count_of a, count_of b) {
    check(a.value > max - b.value, arithmetic_wrong::sum_too_large, a.value, b.value);
    return {a.value + b.value};
  }
  friend constexpr count_of operator-(count_of a, count_of b) {
    check(a.value < b.value, arithmetic_wrong::negative, a.value, b.value);
    return {a.value - b.value};
  }
  friend constexpr count_of operator*(count_of a, std::uint64_t times) {
    check(times != 0 && a.value > max / times, arithmetic_wrong::product_too_large, a.value, times);
    return {a.value * times};
  }
  friend constexpr count_of operator*(std::uint64_t times, count_of a) { return a * times; }

  /// Rounds down; `divided_up` rounds up.
  friend constexpr count_of operator/(count_of a, std::uint64_t by) {
    check(by == 0, arithmetic_wrong::by_zero, a.value, by);
    return {a.value / by};
  }
  friend constexpr std::uint64_t operator/(count_of a, count_of b) { return (a / b.value).value; }
  friend constexpr count_of operator%(count_of a, count_of b) { return a - b * (a / b); }
  friend constexpr count_of divided_up(count_of a, std::uint64_t by) {
    const count_of down = a / by;
    return down.value * by == a.value ? down : count_of{down.value + 1};
  }
  /// The number of `b` that cover `a`.
  friend constexpr std::uint64_t divided_up(count_of a, count_of b) { return divided_up(a, b.value).value; }

  constexpr count_of& operator+=(count_of b) { return *this = *this + b; }
  constexpr count_of& operator-=(count_of b) { return *this = *this - b; }
  constexpr count_of& operator*=(std::uint64_t times) { return *this = *this * times; }

 private:
  static constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

  static constexpr void check(bool bad, arithmetic_wrong kind, std::uint64_t a, std::uint64_t b) {
    if (bad) throw_if(arithmetic_fault{kind, a, b});
  }
};

/// A real number of `Unit`s.
template <class Unit>
struct amount_of {
  double value = 0;

  friend constexpr auto operator<=>(const amount_of&, const amount_of&) = default;
  friend constexpr amount_of operator+(amount_of a, amount_of b) { return {a.value + b.value}; }
  friend constexpr amount_of operator-(amount_of a, amount_of b) { return {a.value - b.value}; }
  friend constexpr amount_of operator*(amount_of a, double times) { return {a.value * times}; }
  friend constexpr amount_of operator*(double times, amount_of a) { return {a.value * times}; }
  friend constexpr amount_of operator/(amount_of a, double by) { return {a.value / by}; }
  friend constexpr double operator/(amount_of a, amount_of b) { return a.value / b.value; }
  constexpr amount_of& operator+=(amount_of b) { return *this = *this + b; }
};

using bytes = count_of<struct byte_unit>;
using cycles = count_of<struct cycle_unit>;
using samples = count_of<struct sample_unit>;
using seconds = amount_of<struct second_unit>;
using hertz = amount_of<struct hertz_unit>;

/// The time that cycles take at a clock.
constexpr seconds operator/(cycles work, hertz clock) { return {static_cast<double>(work.value) / clock.value}; }

/// The first whole cycle at which that much time is over.
[[nodiscard]] constexpr cycles cycles_in(seconds time, hertz clock) {
  const double exact = time.value * clock.value;
  if (!(exact >= 0 && exact < 0x1p64)) throw_if(arithmetic_fault{arithmetic_wrong::no_count});
  const auto whole = static_cast<std::uint64_t>(exact);
  return {static_cast<double>(whole) < exact ? whole + 1 : whole};
}

/// A proportion of `whole`, rounded down.
[[nodiscard]] constexpr bytes proportion_of(bytes whole, double proportion) {
  if (!(proportion >= 0 && proportion <= 1)) throw_if(arithmetic_fault{arithmetic_wrong::no_proportion});
  if (proportion == 1) return whole;  // the real number nearest to it may be larger than 64 bits hold
  return {static_cast<std::uint64_t>(static_cast<double>(whole.value) * proportion)};
}

inline namespace literals {
constexpr bytes operator""_B(unsigned long long n) { return {n}; }
constexpr bytes operator""_KiB(unsigned long long n) { return bytes{1024} * n; }
constexpr bytes operator""_MiB(unsigned long long n) { return bytes{1024 * 1024} * n; }
constexpr bytes operator""_GiB(unsigned long long n) { return bytes{1024 * 1024 * 1024} * n; }
constexpr cycles operator""_cycles(unsigned long long n) { return {n}; }
constexpr samples operator""_samples(unsigned long long n) { return {n}; }
constexpr seconds operator""_s(long double n) { return {static_cast<double>(n)}; }
constexpr hertz operator""_GHz(long double n) { return {static_cast<double>(n) * 1e9}; }
}  // namespace literals

}  // namespace ipuflow

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<arithmetic_fault>;
}
#endif
