// SPDX-License-Identifier: BSL-1.0
// Options as text: their fields in the order of their declaration, with names, as an initialiser that could be compiled.
// Functions `text_of(options)` of other modules bind every field, so that one which is added and forgotten does not compile.
#pragma once

#include <ipuflow/core/type_name.hpp>
#include <ipuflow/core/units.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow {

namespace impl {

template <auto Value>
struct valued {};

/// "feed::output_mode::all" of "impl::valued<feed::output_mode::all>".
[[nodiscard]] constexpr std::string_view valued_name(const type_text& whole) {
  std::string_view name = whole.view();
  name.remove_prefix(name.find('<') + 1);
  name.remove_suffix(name.size() - name.rfind('>'));
  if (name.starts_with('(')) name = {};  // no enumerator has this value
  return name;
}

}  // namespace impl

/// The name of an enumerator of one of the first 32 values, with its type; empty for a value that has no name.
template <class Enum>
  requires std::is_enum_v<Enum>
[[nodiscard]] std::string enumerator_name(Enum value) {
  std::string name;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto look = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      constexpr auto one = static_cast<Enum>(N);
      if (value == one) name = impl::valued_name(type_name<impl::valued<one>>());
    };
    (look(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<std::is_same_v<std::underlying_type_t<Enum>, bool> ? 2 : 32>{});
  return name;
}

/// Collects fields: `field_text{"feed::outputs"}.add("mode", o.mode).add("period", o.period).text()`.
class field_text {
 public:
  explicit field_text(std::string_view type) : text_{type} { text_ += '{'; }

  template <class Value>
  field_text& add(std::string_view name, const Value& value) {
    text_ += first_ ? "\n  ." : ",\n  .";
    first_ = false;
    text_ += name;
    text_ += " = ";
    text_ += shown(value);
    return *this;
  }
  /// A number as a literal.
  template <class Number>
    requires(std::is_arithmetic_v<Number>)
  static std::string shown(Number value) {
    char digits[64];
    std::string text{digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
    constexpr bool is_float = std::is_same_v<Number, float>;
    if constexpr (std::is_floating_point_v<Number>) {
      if (text.find('n') != text.npos) {  // inf or nan
        const std::string limits = is_float ? "std::numeric_limits<float>::" : "std::numeric_limits<double>::";
        return (text[0] == '-' ? "-" : "") + limits + (text.find('f') != text.npos ? "infinity()" : "quiet_NaN()");
      }
    }
    if constexpr (is_float) text += text.find_first_of(".e") == text.npos ? ".0f" : "f";
    if constexpr (std::is_unsigned_v<Number>) {
      if (std::uint64_t{value} >> 63 != 0) text += 'u';  // a literal that no signed type holds is warned of without it
    }
    return text;
  }

  [[nodiscard]] std::string text() const { return text_ + (first_ ? "}" : "\n}"); }

 private:
  static std::string shown(bool value) { return value ? "true" : "false"; }
  template <class Enum>
    requires(std::is_enum_v<Enum>)
  static std::string shown(Enum value) {
    return enumerator_name(value);
  }
  static std::string shown(seconds value) { return "seconds{" + shown(value.value) + "}"; }
  template <class Value>
  static std::string shown(const std::optional<Value>& value) {
    return value ? shown(*value) : "std::nullopt";
  }
  /// Options within options: their text, further to the right.
  static std::string shown(const std::string& inner) {
    std::string text;
    for (const char c : inner) {
      text += c;
      if (c == '\n') text += "  ";
    }
    return text;
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace ipuflow
