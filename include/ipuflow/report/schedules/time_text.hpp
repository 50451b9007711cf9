// SPDX-License-Identifier: BSL-1.0
// Times of schedules as text: whole numbers as they are counted, or in the unit in which costs were measured.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

/// A number in decimal with as many digits as it needs, `digits` at most.
[[nodiscard]] inline std::string shortest(double value, int digits = 12) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

/// A time that was counted with these costs.
template <class Costs>
[[nodiscard]] std::string time_text(const Costs& c, std::size_t time) {
  if constexpr (requires { c.number_of(time); }) {
    return c.number_of(time);
  } else {
    return std::to_string(time);
  }
}

/// The unit with a blank before it, or nothing.
template <class Costs>
[[nodiscard]] std::string unit_text(const Costs& c) {
  if constexpr (requires { c.unit(); }) {
    return c.unit().empty() ? std::string{} : " " + c.unit();
  } else {
    return {};
  }
}

/// The same in microseconds; a unit that is no unit of time counts as one.
template <class Costs>
[[nodiscard]] std::string microseconds_text(const Costs& c, std::size_t time) {
  if constexpr (requires { c.in_units(time); }) {
    const std::string_view unit = c.unit();
    const double each = unit == "ns" ? 1e-3 : unit == "ms" ? 1e3 : unit == "s" ? 1e6 : 1.0;
    return shortest(c.in_units(time) * each);
  } else {
    return std::to_string(time);
  }
}

}  // namespace ipuflow::report::impl
