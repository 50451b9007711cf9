// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/drawing/utf8.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace utf8_test {

using namespace ipuflow::report;

/// The bytes of a code point, whether there may be such a character or not.
std::string encoded(std::uint32_t point) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

std::string kept(std::string_view text) {
  std::string made;
  for_each_character(text, [&](std::string_view character) { made += character; });
  return made;
}

constexpr std::string_view unknown = "\xef\xbf\xbd";  // U+FFFD

TEST_CASE("of all code points, the characters stay as they are and the others become U+FFFD") {
  for (std::uint32_t point = 0; point < 0x120000; ++point) {
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    const bool is_character = point < 0x110000 && !surrogate && point != 0xfffe && point != 0xffff;
    const std::string text = encoded(point);
    const std::string made = kept(text);
    if (is_character ? made == text : made.size() == unknown.size() * text.size()) continue;
    CAPTURE(point);
    CHECK(made == text);
  }
}

TEST_CASE("a text that is cut, or longer than it has to be, is no character") {
  CHECK(kept("a\xc3") == "a" + std::string(unknown));
  CHECK(kept("\xe2\x82") == std::string(unknown) + std::string(unknown));
  CHECK(kept("\xc3\x28") == std::string(unknown) + "(");
  CHECK(kept("\xc0\xaf").find('/') == std::string::npos);
  CHECK(kept("\xe0\x80\xaf") == std::string(unknown) + std::string(unknown) + std::string(unknown));
  CHECK(kept("\xff\xfe").size() == 2 * unknown.size());
  CHECK(kept(std::string_view{"\xf0\x9f\x98\x80 \0 z", 8}) == std::string("\xf0\x9f\x98\x80 \0 z", 8));
}

TEST_CASE("what makes a picture or a trace of a name keeps it UTF-8") {
  CHECK(json_text("gr\xfc\xdf\x01\"") == "\"gr\xef\xbf\xbd\xef\xbf\xbd\\u0001\\\"\"");
  CHECK(svg_words("\xc3\xbc<\xfc") == "\xc3\xbc&lt;\xef\xbf\xbd");
}

}  // namespace utf8_test
