// SPDX-License-Identifier: BSL-1.0
// Arrays that are equal, in constant expressions with -D_GLIBCXX_DEBUG, too: there g++ 12 takes == of temporaries for none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

template <class Number, std::size_t Count>
constexpr bool same(const std::array<Number, Count>& a, const std::array<Number, Count>& b) {
  return std::ranges::equal(a, b);
}
