// SPDX-License-Identifier: BSL-1.0
// Names with a number behind them: "encoder[3]" is a block of a repetition, "layer3[8]" the part of a block from its op 8 on.
#pragma once

#include <ipuflow/core/fixed_string.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::impl {

/// "encoder[3]", and what stands behind it.
template <std::size_t Capacity>
constexpr fixed_string<Capacity> numbered(std::string_view name, std::size_t number, std::string_view behind = {}) {
  fixed_string<Capacity> text{name};
  text += "[";
  text += number;
  text += "]";
  text += behind;
  return text;
}

/// "encoder[2][8]" as "encoder[2]" and "8"; a name that is not of this form as itself and nothing.
struct bracketed {
  std::string_view name{};
  std::string_view inside{};
};
constexpr bracketed bracketed_in(std::string_view name) {
  const std::size_t open = name.rfind('[');
  if (open == 0 || open == std::string_view::npos || name.back() != ']') return {name};
  return {name.substr(0, open), name.substr(open + 1, name.size() - open - 2)};
}

inline constexpr std::size_t no_number = 1'000'000'000;

/// A whole number of up to nine digits as text, or none.
constexpr std::size_t number_in(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return no_number;
  std::size_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return no_number;
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  }
  return number;
}

}  // namespace ipuflow::impl
