// SPDX-License-Identifier: BSL-1.0
// Bytes as text of letters, digits, + and / [RFC 4648, 4]: what may stand in any file, whatever the bytes are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report {

template <class = void>
[[nodiscard]] std::string base64(std::string_view bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  for (std::size_t from = 0, to = 0; from < bytes.size(); from += 3, to += 4) {
    const unsigned word = byte(from) << 16 | byte(from + 1) << 8 | byte(from + 2);
    text[to] = letters[word >> 18];
    text[to + 1] = letters[word >> 12 & 63];
    if (from + 1 < bytes.size()) text[to + 2] = letters[word >> 6 & 63];
    if (from + 2 < bytes.size()) text[to + 3] = letters[word & 63];
  }
  return text;
}

}  // namespace ipuflow::report
