// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/html.hpp>

#include <doctest/doctest.h>

#include "report/inflate.hpp"
#include "report/xml.hpp"

#include <string>

namespace html_test {

using namespace ipuflow;
using report::impl::html_text;

const std::string hostile = "</td><script>alert(1)</script>\" onload=\"x' <!-- &amp; \x01 \xff";

TEST_CASE("words of a user are words, in text and in attributes") {
  html_text made;
  made.headline(2, hostile).paragraph(hostile);
  made.table({.title = hostile, .note = hostile, .head = {hostile, hostile}, .rows = {{hostile, hostile}}}, 3);
  made.picture("<svg xmlns=\"http://www.w3.org/2000/svg\"><rect/></svg>", hostile);
  CHECK(made.text().find("<script") == std::string::npos);
  CHECK(made.text().find("<!--") == std::string::npos);
  CHECK(made.text().find('\x01') == std::string::npos);
  // It is as strict as XML, so that its elements can be counted: none is a user's
  std::string closed = made.text();
  const std::size_t image = closed.find("\"></div>", closed.find("<img"));
  closed.insert(image + 1, "/");
  const xml::document read = xml::parser{"<main>" + closed + "</main>"}.parse();
  CHECK(read.count("script") == 0);
  CHECK(read.count("td") == 1);
  CHECK(read.count("th") == 3);
  CHECK(read.count("img") == 1);
  for (const xml::element& e : read.elements) {
    for (const auto& [name, value] : e.attributes) CHECK(name.substr(0, 2) != "on");
  }
}

TEST_CASE("tables have heads of rows and of columns, and cells that are missing are empty") {
  html_text made;
  made.table({.title = "t", .head = {"", "a", "b"}, .rows = {{"r", "1"}}}, 3);
  CHECK(made.text().find("<thead><tr><td></td><th scope=\"col\">a</th><th scope=\"col\">b</th></tr></thead>") != std::string::npos);
  CHECK(made.text().find("<tr><th scope=\"row\">r</th><td>1</td><td></td></tr>") != std::string::npos);
  CHECK(html_text{}.table({.title = "none"}, 3).text().empty());
}

TEST_CASE("a picture is an image by itself, without the titles of its boxes") {
  html_text made;
  made.picture("<svg><rect><title>a</title></rect><g/><title>b</title></svg>", "says");
  const std::string begin = "data:image/svg+xml;base64,";
  const std::size_t at = made.text().find(begin) + begin.size();
  CHECK(inflate::from_base64(made.text().substr(at, made.text().find('"', at) - at)) == "<svg><rect></rect><g/></svg>");
}

}  // namespace html_test
