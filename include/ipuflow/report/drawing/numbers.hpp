// SPDX-License-Identifier: BSL-1.0
// Numbers as people read them: thousands apart, parts of a whole in percent, bytes in the unit that leaves few digits.
// The same on every machine, whatever its locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

namespace impl {

/// Texts and characters, one behind the other; g++ 12 takes "..." + a string that it inlines for an overlap.
template <class... Part>
[[nodiscard]] std::string joined(const Part&... part) {
  std::string text;
  ((text += part), ...);
  return text;
}

/// 1234567 as "1,234,567".
template <class = void>
[[nodiscard]] inline std::string with_commas(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

/// `value`, not negative, with `digits` digits behind the point, thousands apart.
template <class = void>
[[nodiscard]] inline std::string with_digits(double value, int digits) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr;
  std::string shown(text, end);
  const std::size_t point = shown.find_first_not_of("0123456789");
  for (std::size_t at = point == std::string::npos ? shown.size() : point; at > 3;) shown.insert(at -= 3, 1, ',');
  return shown;
}

/// A part of a whole in percent, without the sign; of nothing, nothing.
[[nodiscard]] inline std::string percent(double part, double whole) {
  return with_digits(whole > 0 ? 100 * part / whole : 0.0, 1);
}
template <class = void>
[[nodiscard]] inline std::string percent(std::uint64_t part, std::uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

/// "999 B", "1.5 kB", "897.0 MB": units of a thousand.
template <class = void>
[[nodiscard]] inline std::string short_bytes(std::uint64_t n) {
  if (n < 1000) return std::to_string(n) + " B";
  double value = static_cast<double>(n) / 1000;
  const char* unit = "kMGTPE";
  for (; value >= 999.95; value /= 1000) ++unit;
  return with_digits(value, 1) + " " + *unit + "B";
}

/// A time in the unit that leaves one to four digits before the point: "12.3 us".
template <class = void>
[[nodiscard]] inline std::string short_time(double seconds) {
  const char* const units[] = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  while (unit < 3 && seconds > 0 && seconds < 1) seconds *= 1000, ++unit;
  return with_digits(seconds, 3) + " " + units[unit];
}

}  // namespace impl

}  // namespace ipuflow::report
