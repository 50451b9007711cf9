// SPDX-License-Identifier: BSL-1.0
// The name of a type as text, for sentences: a fault is a value and so cannot carry the type itself.
// It is cut from the name that the compiler gives a function template; namespaces of this library are left out.
#pragma once

#include <ipuflow/core/fixed_string.hpp>

#include <cstddef>
#include <source_location>
#include <string_view>

namespace ipuflow {

using type_text = fixed_string<120>;

namespace detail {

template <class T>
constexpr std::string_view function_named_after() {
  return std::source_location::current().function_name();
}

/// The text before and after the type is the same for every type, so any known one measures it.
constexpr std::size_t name_begin = function_named_after<int>().find("int");
constexpr std::size_t name_tail = function_named_after<int>().size() - name_begin - 3;

constexpr bool drops_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

constexpr bool is_in_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

constexpr type_text without_namespaces(std::string_view text) {
  type_text name;
  while (!text.empty()) {
    if (drops_prefix(text, "ipuflow::") || drops_prefix(text, "std::")) continue;
    if (drops_prefix(text, "__cxx11::")) continue;
    std::size_t word = 0;
    while (word < text.size() && is_in_word(text[word])) ++word;
    if (word == 0) word = 1;
    name += text.substr(0, word);
    text.remove_prefix(word);
  }
  return name;
}

}  // namespace detail

/// The compiler's name of `T`, "..." where it is too long.
template <class T>
[[nodiscard]] constexpr type_text type_name() {
  std::string_view text = detail::function_named_after<T>().substr(detail::name_begin);
  text.remove_suffix(detail::name_tail);
  return detail::without_namespaces(text);
}

}  // namespace ipuflow
