// SPDX-License-Identifier: BSL-1.0
// The legend of a picture: keys beside each other, in as many lines as they need in the width that there is. A picture
// asks it for its size before there is a canvas.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

/// Keys of boxes and what they stand for, all of them together.
template <class = void>
class basic_svg_legend {
 public:
  static constexpr std::size_t line_height = 18;

  /// From `left` on, in a picture that is `wrap` wide, 0 for any width. A key that is longer has a line for itself.
  basic_svg_legend(std::size_t left, std::size_t wrap)
      : left_{left}, room_{wrap == 0 ? static_cast<std::size_t>(-1) : wrap > left ? wrap - left : 0} {}

  void add(std::string style, std::string_view said) {
    const std::size_t wide = svg_canvas::key_width(said);
    if (used_ > 0 && used_ + wide > room_) {
      ++line_;
      used_ = 0;
    }
    keys_.push_back({static_cast<std::string&&>(style), said, used_, line_});
    used_ += wide;
    if (used_ > width_) width_ = used_;
  }

  [[nodiscard]] std::size_t right() const { return left_ + width_; }
  /// Height beyond that of a legend of one line.
  [[nodiscard]] std::size_t more_height() const { return line_ * line_height; }

  void draw(svg_canvas& canvas, std::size_t y) const {
    for (const key& k : keys_) canvas.key(left_ + k.x, y + k.line * line_height, k.style, k.said);
  }

 private:
  struct key {
    std::string style;
    std::string_view said;
    std::size_t x;
    std::size_t line;
  };

  std::size_t left_;
  std::size_t room_;
  std::size_t used_ = 0;
  std::size_t line_ = 0;
  std::size_t width_ = 0;
  light_vector<key> keys_;
};
using svg_legend = basic_svg_legend<>;

}  // namespace ipuflow::report::impl
