// SPDX-License-Identifier: BSL-1.0
// A strict parser of JSON (RFC 8259), for tests: anything that the grammar does not allow throws, and so do two members
// of one name. Boost.PropertyTree's parser would not do: it accepts two members of one name, and it forgets if a value was a
// number or a text, and an empty list or an empty object, which the tests of traces look at.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace json {

enum class type { null, boolean, number, text, list, object };

struct value {
  type is = type::null;
  bool boolean = false;
  double number = 0;
  std::string text{};
  std::vector<value> items{};    // of a list
  std::vector<value> members{};  // of an object
  std::string name{};            // of a member; a pair of both is not complete where this is

  const value* find(std::string_view wanted) const {
    for (const value& member : members) {
      if (member.name == wanted) return &member;
    }
    return nullptr;
  }
  const value& operator[](std::string_view wanted) const {
    if (const value* member = find(wanted)) return *member;
    throw std::runtime_error{"no member " + std::string(wanted)};
  }
};

class parser {
 public:
  explicit parser(std::string_view text) : rest_{text} {}

  value parse() {
    value whole = any();
    if (!skipped().empty()) fail("text behind the value");
    return whole;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error{why + " before: " + std::string(rest_.substr(0, 40))};
  }
  std::string_view& skipped() {
    while (!rest_.empty() && std::string_view{" \t\n\r"}.find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
    return rest_;
  }
  bool takes(std::string_view word) {
    if (!skipped().starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void take(std::string_view word) {
    if (!takes(word)) fail("no " + std::string(word));
  }
  char next() {
    if (rest_.empty()) fail("the text ends");
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  value any() {
    if (takes("{")) return object();
    if (takes("[")) return list();
    if (takes("\"")) return {.is = type::text, .text = text()};
    if (takes("true")) return {.is = type::boolean, .boolean = true};
    if (takes("false")) return {.is = type::boolean};
    if (takes("null")) return {};
    return {.is = type::number, .number = number()};
  }

  value object() {
    value made{.is = type::object};
    if (takes("}")) return made;
    do {
      take("\"");
      std::string name = text();
      if (made.find(name) != nullptr) fail("two members " + name);
      take(":");
      made.members.push_back(any());
      made.members.back().name = std::move(name);
    } while (takes(","));
    take("}");
    return made;
  }

  value list() {
    value made{.is = type::list};
    if (takes("]")) return made;
    do made.items.push_back(any());
    while (takes(","));
    take("]");
    return made;
  }

  std::string text() {
    std::string read;
    for (char c = next(); c != '"'; c = next()) {
      if (static_cast<unsigned char>(c) < ' ') fail("a control character");
      if (c != '\\') {
        read += c;
        continue;
      }
      constexpr std::string_view written = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      const char escaped = next();
      if (const std::size_t which = written.find(escaped); which != std::string_view::npos) {
        read += meant[which];
      } else if (escaped == 'u') {
        std::string digits;
        for (int i = 0; i < 4; ++i) digits += next();
        if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos || !digits.starts_with("00"))
          fail("\\u");
        read += static_cast<char>(std::strtol(digits.c_str(), nullptr, 16));
      } else {
        fail("an unknown escape");
      }
    }
    return read;
  }

  std::size_t digits(std::string& read) {
    std::size_t count = 0;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; ++count) read += next();
    return count;
  }
  double number() {
    std::string read;
    if (takes("-")) read = "-";
    const bool zero = rest_.starts_with("0");
    const std::size_t whole = digits(read);
    if (whole == 0 || (zero && whole > 1)) fail("a number");
    if (rest_.starts_with(".")) {
      read += next();
      if (digits(read) == 0) fail("digits behind the point");
    }
    if (rest_.starts_with("e") || rest_.starts_with("E")) {
      read += next();
      if (rest_.starts_with("+") || rest_.starts_with("-")) read += next();
      if (digits(read) == 0) fail("an exponent");
    }
    return std::strtod(read.c_str(), nullptr);
  }

  std::string_view rest_;
};

inline value parsed(std::string_view text) { return parser{text}.parse(); }

}  // namespace json
