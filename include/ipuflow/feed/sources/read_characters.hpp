// SPDX-License-Identifier: BSL-1.0
// Numbers in text, whatever the locale, as `std::from_chars` reads them. Up to version 19 libc++ has that function for
// integers only; there the C library reads the others, in its locale "C", and takes no more than `std::from_chars` does.
#pragma once

#include <ipuflow/core/algorithms.hpp>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>

#include <locale.h>

namespace ipuflow::feed::impl {

/// The locale "C" of this thread, as long as it lives.
class plain_locale {
 public:
  plain_locale() : before_{uselocale(plain())} {}
  plain_locale(const plain_locale&) = delete;
  plain_locale& operator=(const plain_locale&) = delete;
  ~plain_locale() { uselocale(before_); }

 private:
  static locale_t plain() {
    static const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
    return made != nullptr ? made : throw std::bad_alloc{};
  }

  locale_t before_;
};

template <std::floating_point Number>
std::from_chars_result read_by_c_library(const char* first, const char* last, Number& to) {
  // The C library would skip blanks and a plus before a number, and read on behind an x.
  if (first == last || *first == '+' || std::isspace(static_cast<unsigned char>(*first)) != 0)
    return {first, std::errc::invalid_argument};
  const std::string text{first, algorithms::find_if(first, last, [](char c) { return c == 'x' || c == 'X'; })};
  const plain_locale plain;
  const int before = algorithms::exchange(errno, 0);
  char* end = nullptr;
  Number number{};
  if constexpr (std::is_same_v<Number, float>) {
    number = std::strtof(text.c_str(), &end);
  } else {
    number = std::strtod(text.c_str(), &end);
  }
  const bool inexact = algorithms::exchange(errno, before) == ERANGE;
  const char* const read_to = first + (end - text.c_str());
  if (read_to == first) return {first, std::errc::invalid_argument};
  // What is nearer to zero than a normal number is said to be out of range, too, and is none.
  constexpr Number most = std::numeric_limits<Number>::max();
  if (inexact && (number == 0 || number > most || number < -most)) return {read_to, std::errc::result_out_of_range};
  to = number;
  return {read_to, std::errc{}};
}

template <class Number>
concept has_characters = std::floating_point<Number> || requires(const char* at, Number& to) { std::from_chars(at, at, to); };

/// Reads a number of any type from the characters before `last`.
template <has_characters Number>
std::from_chars_result read_characters(const char* first, const char* last, Number& to) {
  if constexpr (requires { std::from_chars(first, last, to); }) {
    return std::from_chars(first, last, to);
  } else {
    return read_by_c_library(first, last, to);
  }
}

}  // namespace ipuflow::feed::impl
