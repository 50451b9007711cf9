// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/svg_legend.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace svg_legend_test {

using namespace ipuflow::report;
using namespace ipuflow::report::impl;

TEST_CASE("keys stand in one line while they fit, and what does not fit begins another") {
  const std::size_t each = svg_canvas::key_width("forward");
  for (std::size_t room = 1; room < 6 * each; room += 7) {
    svg_legend keys{20, 20 + room};
    for (int i = 0; i < 5; ++i) keys.add("F", "forward");
    const std::size_t in_line = room < each ? 1 : room / each < 5 ? room / each : 5;
    CHECK(keys.right() == 20 + in_line * each);
    CHECK(keys.more_height() == ((5 - 1) / in_line) * svg_legend::line_height);
    svg_canvas canvas(500, 500);
    keys.draw(canvas, 30);
    const std::string text = canvas.finish();
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string x = std::to_string(20 + i % in_line * each);
      const std::string y = std::to_string(30 - 9 + i / in_line * svg_legend::line_height);
      CHECK(text.find("<rect class=\"F\" x=\"" + x + "\" y=\"" + y + "\"") != std::string::npos);
    }
  }
}

TEST_CASE("no keys take no room") {
  CHECK(svg_legend{10, 100}.right() == 10);
  CHECK(svg_legend{10, 100}.more_height() == 0);
}

TEST_CASE("without a limit there is one line, with one that leaves no room a line for each key") {
  for (const std::size_t limit : {std::size_t{0}, std::size_t{5}}) {
    svg_legend keys{10, limit};
    for (int i = 0; i < 100; ++i) keys.add("F", "forward");
    CHECK(keys.more_height() == (limit == 0 ? 0 : 99 * svg_legend::line_height));
  }
}

}  // namespace svg_legend_test
