// SPDX-License-Identifier: BSL-1.0
// The canvas of all pictures: boxes and words in one frame, and one style sheet, so that a pass has the same colour in
// every picture.
#pragma once

#include <ipuflow/report/drawing/utf8.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace ipuflow::report {

/// A place or a size in a picture, to a tenth of a pixel: whole numbers print alike on every machine.
struct svg_length {
  std::size_t tenths = 0;

  constexpr svg_length(std::size_t pixels) : tenths{10 * pixels} {}
  [[nodiscard]] static constexpr svg_length of_tenths(std::size_t tenths) {
    svg_length made{0};
    made.tenths = tenths;
    return made;
  }

  [[nodiscard]] std::string text() const {
    const std::string whole = std::to_string(tenths / 10);
    return tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10);
  }
};

/// Words as they may stand in a picture.
[[nodiscard]] inline std::string svg_words(std::string_view words) {
  std::string text;
  for_each_character(words, [&](std::string_view character) {
    const char c = character[0];
    if (c == '&') {
      text += "&amp;";
    } else if (c == '<') {
      text += "&lt;";
    } else if (c == '>') {
      text += "&gt;";
    } else if (c == '"') {
      text += "&quot;";
    } else if (static_cast<unsigned char>(c) < ' ') {
      text += ' ';
    } else {
      text += character;
    }
  });
  return text;
}

namespace impl {

/// Suffix of the style of a micro-batch's box while this or another micro-batch is highlighted.
[[nodiscard]] inline std::string emphasis(std::size_t micro_batch, std::size_t highlight) {
  if (highlight == schedule::nowhere) return "";
  return micro_batch == highlight ? " lit" : " dim";
}

}  // namespace impl

/// The style of a pass's boxes.
[[nodiscard]] inline std::string svg_style_of(schedule::pass kind) {
  if (kind == schedule::pass::infeed) return "in";
  return kind == schedule::pass::outfeed ? "out" : std::string(1, schedule::letter(kind));
}

class svg_canvas {
 public:
  /// `rules`: of a style sheet, for pictures that show more than passes.
  svg_canvas(std::size_t width, std::size_t height, const std::string& rules = "") {
    const std::string w = std::to_string(width);
    const std::string h = std::to_string(height);
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w +
            " " + h + "\">\n" + styles(rules);
    box("paper", 0, 0, width, height);
  }

  /// `title` is what a browser shows of the box below the pointer; `attributes` begin with a space.
  void box(const std::string& style, svg_length x, svg_length y, svg_length width, svg_length height,
           const std::string& title = "", const std::string& attributes = "") {
    add({"<rect class=\"", style, "\" x=\"", x.text(), "\" y=\"", y.text(), "\" width=\"", width.text(), "\" height=\"",
         height.text(), "\"", attributes});
    close("rect", title);
  }

  /// `attributes` begin with a space.
  void words(svg_length x, svg_length y, const std::string& attributes, std::string_view words) {
    add({"<text x=\"", x.text(), "\" y=\"", y.text(), "\"", attributes, ">", svg_words(words), "</text>\n"});
  }
  void label(svg_length x, svg_length y, const std::string& style, std::string_view said) {
    words(x, y, " class=\"" + style + "\"", said);
  }

  /// `attributes` begin with a space.
  void shape(const std::string& style, const std::string& path, const std::string& title = "",
             const std::string& attributes = "") {
    add({"<path class=\"", style, "\" d=\"", path, "\"", attributes});
    close("path", title);
  }

  /// A key of a legend: a box of the style and what it stands for. Returns where the next one may begin.
  std::size_t key(std::size_t x, std::size_t y, const std::string& style, std::string_view said) {
    box(style, x, y - 9, 11, 11);
    label(x + 16, y + 1, "key", said);
    return x + key_width(said);
  }
  [[nodiscard]] static constexpr std::size_t key_width(std::string_view said) { return 30 + words_width(said); }
  /// Room for words that a picture shows in its usual size.
  [[nodiscard]] static constexpr std::size_t words_width(std::string_view said) { return 6 * said.size(); }

  [[nodiscard]] std::string finish() const { return text_ + "</svg>\n"; }

 private:
  void add(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) text_ += part;
  }
  void close(std::string_view element, const std::string& title) {
    if (title.empty()) return add({"/>\n"});
    add({"><title>", svg_words(title), "</title></", element, ">\n"});
  }

  static std::string styles(const std::string& rules) {
    return "<style>text{font:11px "
           "sans-serif;text-anchor:middle;fill:#fff}.name,.tick,.key{fill:#333}.name{text-anchor:end}"
           ".key{text-anchor:start}.tick{font-size:9px}.paper{fill:#fff}.lane{fill:#f1f1ee}.ramp{fill:#d8d8d2}"
           ".steady{fill:#5b5b57}.mark{fill:#333;font-size:10px}.on{fill:#fff;font-size:10px}.F{fill:#2f6db3}.B{fill:#"
           "3a8f5c}"
           ".I{fill:#23898f}.W{fill:#c7791f}.R{fill:#7a6aa8}.U{fill:#a33b3b}.in,.out{fill:#8a8a84}.lit{stroke:#222;stroke-width:1.5}.dim{opacity:.25}"
           ".way{stroke:#222;fill:none}" +
           rules + "</style>\n";
  }

  std::string text_;
};

}  // namespace ipuflow::report
