// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/viewer/style.hpp>

#include "report/page/viewer/piece.hpp"

TEST_CASE("the viewer's style loads nothing") {
  using ipuflow::report::impl::viewer_style;
  for (const std::string_view bad : {"</", "url(", "@import", "@font-face", "http"}) CHECK_FALSE(viewer_pieces::says(viewer_style, bad));
}

TEST_CASE("rules of the viewer's style name its own classes only, so that pictures and the static report keep their look") {
  const std::string_view style = ipuflow::report::impl::viewer_style;
  for (std::size_t at = style.find("\n  ."); at != std::string_view::npos; at = style.find("\n  .", at + 1)) CHECK(style.substr(at + 3, 3) == ".v-");
}

TEST_CASE("no rule of the viewer's style is cut: each bracket has its other half, and a printer has rules of its own") {
  int depth = 0;
  for (const char c : ipuflow::report::impl::viewer_style) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    REQUIRE((depth >= 0 && depth <= 2));
  }
  CHECK(depth == 0);
  CHECK(viewer_pieces::says(ipuflow::report::impl::viewer_style, "@media print"));
}

TEST_CASE("a style sheet without spaces keeps those of sums and descendants") {
  std::string page;
  ipuflow::report::impl::add_viewer_piece(page, "  a b > c, d { width: calc(1px + 2px); }\n  e:hover { margin: 0 auto; }\n", false);
  CHECK(page == "a b > c,d{width:calc(1px + 2px)}e:hover{margin:0 auto}\n");
}
