// SPDX-License-Identifier: BSL-1.0
// Objects and lists of JSON, put together member by member.
#pragma once

#include <ipuflow/core/math.hpp>
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/schedules/time_text.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace ipuflow::report {

namespace impl {

/// An object of JSON, member by member; a number that is none, or infinite, is null.
class json_members {
 public:
  template <class T>
  json_members& add(std::string_view key, const T& value) {
    if constexpr (std::same_as<T, bool>)
      return put(key, value ? "true" : "false");
    else if constexpr (std::integral<T>)
      return put(key, std::to_string(value));
    else if constexpr (std::floating_point<T>)
      return put(key, math::is_finite(value) ? shortest(value) : std::string{"null"});
    else
      return put(key, json_text(std::string_view{value}));
  }
  /// A value that is JSON.
  json_members& put(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? "{" : ",";
    text_ += json_text(key);
    text_ += ':';
    text_ += value;
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_{};
};

/// A list of JSON, of what a function makes of each element.
template <class Values, class Make>
[[nodiscard]] std::string json_list(const Values& values, const Make& make) {
  std::string text = "[";
  for (const auto& v : values) text.append(text.size() > 1 ? "," : "") += make(v);
  return text + "]";
}

}  // namespace impl

}  // namespace ipuflow::report
