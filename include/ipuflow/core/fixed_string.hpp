// SPDX-License-Identifier: BSL-1.0
// A string of bounded length that is a constant. As a template argument it names blocks and values; as a return value
// it carries the sentence of an error to the compiler or the exception without allocating.
#pragma once

#include <ipuflow/core/language.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow {

/// At most `Capacity` characters, zero-terminated; longer text is cut and ends in "...".
template <std::size_t Capacity>
struct fixed_string {
  char characters[Capacity + 1]{};

  constexpr fixed_string() = default;
  constexpr fixed_string(const char (&literal)[Capacity + 1]) { *this += std::string_view{literal, Capacity}; }
  constexpr explicit fixed_string(std::string_view text) {
    *this += text;
    characters[Capacity] = '\0';  // clang prints an array as text only if its last element was written
  }

  /// The first zero ends the text, so equal texts are equal template arguments.
  [[nodiscard]] constexpr std::size_t size() const {
    std::size_t length = 0;
    while (length < Capacity && characters[length] != '\0') ++length;
    return length;
  }

  [[nodiscard]] constexpr const char* data() const { return characters; }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }
  constexpr operator std::string_view() const { return {characters, size()}; }
  [[nodiscard]] constexpr std::string_view view() const { return *this; }

  constexpr fixed_string& operator+=(std::string_view text) {
    const std::size_t begin = size();
    const std::size_t room = Capacity - begin;
    const std::size_t copied = text.size() < room ? text.size() : room;
    for (std::size_t i = 0; i < copied; ++i) characters[begin + i] = text[i];
    if (copied < text.size()) {
      for (std::size_t i = Capacity < 3 ? 0 : Capacity - 3; i < Capacity; ++i) characters[i] = '.';
    }
    return *this;
  }

  /// Appends a count in decimal.
  constexpr fixed_string& operator+=(std::size_t number) {
    char digits[20]{};
    std::size_t first = 20;
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this += std::string_view{digits + first, 20 - first};
  }

  template <std::size_t Other>
  friend constexpr bool operator==(const fixed_string& a, const fixed_string<Other>& b) {
    return a.view() == b.view();
  }
};

template <std::size_t Size>
fixed_string(const char (&)[Size]) -> fixed_string<Size - 1>;

}  // namespace ipuflow
