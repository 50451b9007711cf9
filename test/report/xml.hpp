// SPDX-License-Identifier: BSL-1.0
// The part of XML that pictures use, for tests: elements with attributes and text, properly nested and closed, and
// nothing in text that must not stand there. Anything else throws. Boost.PropertyTree's parser would not do: it accepts a wrong
// closing tag, a bare `&`, an unknown entity, a control character, a second attribute of one name and a second root.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xml {

struct element {
  std::string name{};
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::string text{};  // of it and of all inside

  const std::string& operator[](std::string_view wanted) const {
    for (const auto& [key, held] : attributes) {
      if (key == wanted) return held;
    }
    throw std::runtime_error{name + " has no " + std::string(wanted)};
  }
  double number(std::string_view wanted) const { return std::stod((*this)[wanted]); }
};

struct document {
  std::vector<element> elements{};  // as they open

  std::size_t count(std::string_view name) const {
    std::size_t found = 0;
    for (const element& e : elements) found += e.name == name ? 1u : 0u;
    return found;
  }
  std::size_t count_class(std::string_view name) const {
    std::size_t found = 0;
    for (const element& e : elements) {
      for (const auto& [key, held] : e.attributes) found += key == "class" && held == name ? 1u : 0u;
    }
    return found;
  }
  /// Titles that begin with these words.
  std::size_t count_text(std::string_view words) const {
    std::size_t found = 0;
    for (const element& e : elements) found += e.name == "title" && e.text.starts_with(words) ? 1u : 0u;
    return found;
  }
};

class parser {
 public:
  explicit parser(std::string_view text) : rest_{text} {}

  document parse() {
    document made;
    element_in(made);
    if (rest_ != "\n" && !rest_.empty()) fail("text behind the document");
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error{why + " before: " + std::string(rest_.substr(0, 60))};
  }
  void take(std::string_view word) {
    if (!rest_.starts_with(word)) fail("no " + std::string(word));
    rest_.remove_prefix(word.size());
  }
  std::string until(std::string_view stops) {
    const std::size_t end = rest_.find_first_of(stops);
    if (end == std::string_view::npos) fail("no end");
    std::string read{rest_.substr(0, end)};
    rest_.remove_prefix(end);
    return read;
  }
  std::string words(std::string_view stops) {
    std::string read = until(stops);
    if (read.find('>') != std::string::npos && stops != ">") fail("a bare >");
    std::string meant;
    for (std::size_t at = 0; at < read.size(); ++at) {
      if (static_cast<unsigned char>(read[at]) < ' ' && read[at] != '\n') fail("a control character");
      if (read[at] != '&') {
        meant += read[at];
        continue;
      }
      const std::string name = read.substr(at, read.find(';', at) - at + 1);
      meant += name == "&amp;" ? '&' : name == "&lt;" ? '<' : name == "&gt;" ? '>' : name == "&quot;" ? '"' : '?';
      if (meant.back() == '?') fail("an unknown " + name);
      at += name.size() - 1;
    }
    return meant;
  }

  std::string element_in(document& d) {
    take("<");
    const std::size_t self = d.elements.size();
    d.elements.push_back({.name = until(" >/")});
    while (rest_.starts_with(" ")) {
      take(" ");
      std::string key = until("=");
      take("=\"");
      for (const auto& [other, held] : d.elements[self].attributes) {
        if (other == key) fail("a second " + key);
      }
      d.elements[self].attributes.emplace_back(std::move(key), words("\"<"));
      take("\"");
    }
    if (rest_.starts_with("/>")) {
      take("/>");
      return "";
    }
    take(">");
    std::string text;
    while (!rest_.starts_with("</")) text += rest_.starts_with("<") ? element_in(d) : words("<");
    take("</" + d.elements[self].name + ">");
    return d.elements[self].text = text;
  }

  std::string_view rest_;
};

inline document parsed(std::string_view text) { return parser{text}.parse(); }

}  // namespace xml
