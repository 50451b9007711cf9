// SPDX-License-Identifier: BSL-1.0
// Texts as JSON has them.
#pragma once

#include <ipuflow/report/drawing/utf8.hpp>

#include <string>
#include <string_view>

namespace ipuflow::report {

/// Text as a JSON string, with its quotes.
template <class = void>
[[nodiscard]] std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for_each_character(text, [&](std::string_view character) {
    const auto code = static_cast<unsigned char>(character[0]);
    if (code < ' ') {
      constexpr std::string_view digits = "0123456789abcdef";
      quoted += "\\u00";
      quoted += digits[code / 16];
      quoted += digits[code % 16];
      return;
    }
    if (code == '"' || code == '\\') quoted += '\\';
    quoted += character;
  });
  return quoted + "\"";
}

}  // namespace ipuflow::report
