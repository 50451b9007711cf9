// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/viewer/viewer.hpp>

#include "report/page/viewer/piece.hpp"

namespace {

std::string added(std::string_view piece) {
  std::string page;
  ipuflow::report::impl::add_viewer_piece(page, piece);
  return page;
}

}  // namespace

TEST_CASE("a piece goes into the page without what only people read") {
  CHECK(added("  // why\n  a = b;\n\n  c( d );\n") == "a=b;c(d);\n");
  CHECK(added("  f(a, // first\n    b)\n") == "f(a,b)\n");
  CHECK(added("  if (x) return y;\n  else z();\n") == "if(x)return y;else z();\n");
}

TEST_CASE("strings of a piece keep their spaces, quotes and slashes") {
  CHECK(added("  say(\"a  +  b\", 'it\\'s {  }');\n") == "say(\"a  +  b\",'it\\'s {  }');\n");
}

TEST_CASE("two signs in a row stay two operators, and words stay apart") {
  CHECK(added("  a = b + +c - -d;\n") == "a=b+ +c- -d;\n");
  CHECK(added("  for (const x of y) yield x in z;\n") == "for(let x of y)yield x in z;\n");
}

TEST_CASE("lines that could be taken for one statement stay lines") {
  CHECK(added("  a\n  b\n") == "a\nb\n");
  CHECK(added("  x = y\n    .z()\n    ? 1\n    : 2;\n  w();\n") == "x=y.z()?1:2;w();\n");
}

TEST_CASE("declarations that follow each other become one, however many lines they have") {
  CHECK(added("  const a = 1;\n  const f = (x) => {\n    g(x);\n  };\n  const b = 2;\n  h();\n") == "let a=1,f=(x)=>{g(x)},b=2;h();\n");
  CHECK(added("  const a = 1;\n  let b;\n  const c = 2;\n") == "let a=1,b,c=2;\n");
}

TEST_CASE("a page has room for its data's frame beside the viewer: all pieces and the style are below 119 KiB") {
  std::string page;
  for (const std::string_view piece : ipuflow::report::impl::viewer_scripts) ipuflow::report::impl::add_viewer_piece(page, piece);
  ipuflow::report::impl::add_viewer_piece(page, ipuflow::report::impl::viewer_style, false);
  CHECK(page.size() < 119 * 1024);
}
