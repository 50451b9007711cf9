// SPDX-License-Identifier: BSL-1.0
// Names come from users and files, so they may be any bytes; pictures and traces must be UTF-8, or no program opens
// them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report {

namespace impl {

/// Bytes of the character in front; 0 if it is none that XML and JSON allow [RFC 3629, table of syntax].
constexpr std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xc2 || !follows(1)) return 0;  // a byte that only follows, or two bytes for what takes one
  if (first < 0xe0) return 2;
  if (!follows(2)) return 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool no_character = first == 0xef && second == 0xbf && byte(2) >= 0xbe;
    return overlong || surrogate || no_character ? 0 : 3;
  }
  const bool fits = first == 0xf0 ? second >= 0x90 : first == 0xf4 ? second < 0x90 : first < 0xf4;
  return fits && follows(3) ? 4 : 0;
}

}  // namespace impl

/// Calls `character(text)` for each character of a text; a byte that is part of none becomes U+FFFD.
template <class Character>
constexpr void for_each_character(std::string_view text, Character&& character) {
  while (!text.empty()) {
    const std::size_t length = impl::utf8_length(text);
    character(length == 0 ? std::string_view{"\xef\xbf\xbd"} : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

namespace impl {

constexpr std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view) { ++count; });
  return count;
}

}  // namespace impl

}  // namespace ipuflow::report
