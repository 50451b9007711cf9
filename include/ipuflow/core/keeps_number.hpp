// SPDX-License-Identifier: BSL-1.0
// A number that another type has as it is: asked of what users feed to a value of whole numbers.
#pragma once

#include <ipuflow/core/half.hpp>

#include <limits>
#include <type_traits>

namespace ipuflow {

/// True unless a number would become another one: numbers with a fraction, or beyond what it has, are none of a type of whole numbers.
template <class To, class From>
constexpr bool keeps_number([[maybe_unused]] const From& from) {
  if constexpr (std::is_same_v<From, half>) {
    return ipuflow::keeps_number<To>(static_cast<float>(from));
  } else if constexpr (!std::is_integral_v<To> || !std::is_arithmetic_v<From> || std::is_same_v<To, bool> ||
                       std::is_same_v<To, From>) {
    return true;
  } else if constexpr (std::is_integral_v<From>) {
    const auto kept = static_cast<To>(from);
    return static_cast<From>(kept) == from && (kept < To{}) == (from < From{});
  } else {
    constexpr auto beyond = static_cast<From>(To{1} << (std::numeric_limits<To>::digits - 1)) * 2;
    return from >= static_cast<From>(std::numeric_limits<To>::min()) && from < beyond && static_cast<From>(static_cast<To>(from)) == from;
  }
}

}  // namespace ipuflow
