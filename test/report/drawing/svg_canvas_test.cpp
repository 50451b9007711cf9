// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/svg_canvas.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace svg_canvas_test {

using namespace ipuflow::report;
using ipuflow::schedule::pass;
using ipuflow::schedule::pass_count;

TEST_CASE("lengths are pixels, with a tenth where there is one") {
  CHECK(svg_length{17}.text() == "17");
  CHECK(svg_length::of_tenths(170).text() == "17");
  CHECK(svg_length::of_tenths(5).text() == "0.5");
  CHECK(svg_length::of_tenths(1239).text() == "123.9");
}

TEST_CASE("words keep nothing that a parser of XML would take for its own") {
  CHECK(svg_words("a < b & \"c\" > d\n") == "a &lt; b &amp; &quot;c&quot; &gt; d ");
  svg_canvas canvas(10, 20);
  canvas.box("F", 1, 2, 3, 4, "<title>", " opacity=\"0.5\"");
  canvas.label(5, 6, "name", "<&>");
  canvas.shape("line", "M0 0H9", "a\"b");
  const std::string text = canvas.finish();
  CHECK(text.starts_with(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20\" viewBox=\"0 0 10 20\">\n<style>"));
  CHECK(text.ends_with(
      "<rect class=\"paper\" x=\"0\" y=\"0\" width=\"10\" height=\"20\"/>\n"
      "<rect class=\"F\" x=\"1\" y=\"2\" width=\"3\" height=\"4\" opacity=\"0.5\"><title>&lt;title&gt;</title></rect>\n"
      "<text x=\"5\" y=\"6\" class=\"name\">&lt;&amp;&gt;</text>\n"
      "<path class=\"line\" d=\"M0 0H9\"><title>a&quot;b</title></path>\n</svg>\n"));
}

TEST_CASE("every pass has a style of its own, and the style a rule") {
  const std::string sheet = svg_canvas(1, 1, ".mine{fill:#123}").finish();
  std::set<std::string> styles;
  for (std::size_t p = 0; p < pass_count; ++p) {
    const std::string style = svg_style_of(static_cast<pass>(p));
    CHECK(styles.insert(style).second);
    CHECK((sheet.find("." + style + "{") != std::string::npos || sheet.find("." + style + ",") != std::string::npos));
  }
  CHECK(sheet.find(".mine{fill:#123}</style>") != std::string::npos);
}

TEST_CASE("keys of a legend stand beside each other") {
  svg_canvas canvas(500, 50);
  const std::size_t second = canvas.key(20, 30, "F", "forward");
  CHECK(second == 20 + svg_canvas::key_width("forward"));
  CHECK(canvas.finish().find("<text x=\"36\" y=\"31\" class=\"key\">forward</text>") != std::string::npos);
}

}  // namespace svg_canvas_test
