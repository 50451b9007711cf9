// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/document.hpp>

#include <doctest/doctest.h>

#include "report/page_reader.hpp"

#include <sstream>
#include <string>

namespace document_test {

using namespace ipuflow;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string page_with(const std::string& words) {
  std::ostringstream out;
  report::page(out, {.title = words, .command = words},
               report::part(words, report::page_fact{.name = words, .words = words, .group = words},
                            report::page_table{.title = words, .note = words, .head = {words}, .rows = {{words, words}}}));
  return out.str();
}

TEST_CASE("names of a user are data everywhere, and come back as they were") {
  const std::string clean = page_with("words");
  for (const std::string words : {"<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>", "\" onload=\"alert(1)", "]]> --> <!-- &lt;", "</script><script>"}) {
    CAPTURE(words);
    const std::string page = page_with(words);
    for (const char* sign : {"<script", "</script", "<img", "<!--", "<"}) CHECK(count(page, sign) == count(clean, sign));
    CHECK(count(page, " onload=\"") == 0);
    const page_reader::container read = page_reader::data_of(page);
    CHECK(read.header["title"].text == words);
    CHECK(read.part(0)["name"].text == words);
    CHECK(read.part(0)["tables"].items[0]["rows"].items[0].items[0].text == words);
  }
}

TEST_CASE("the file loads nothing and runs its own script alone") {
  const std::string page = page_with("words");
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(count(page, "<script") == 2);
  CHECK(page.find("default-src 'none'") < page.find("<title>"));
  CHECK(count(page, "src=\"http") == 0);
  CHECK(count(page, "<link") == 0);
  CHECK(count(page, "unsafe-eval") == 0);
  const std::size_t begin = page.rfind("<script>") + 8;
  const std::string script = page.substr(begin, page.find("</script>", begin) - begin);
  CHECK(page.find("script-src 'sha256-" + report::base64(report::impl::sha256(script)) + "'") != std::string::npos);
  CHECK(script == report::impl::page_script<>());
  CHECK(script.find("<!--") == std::string::npos);
}

TEST_CASE("a page without data has at most 120 KiB, and is the same each time") {
  std::ostringstream out, again;
  report::page_builder{}.write(out);
  report::page_builder{}.write(again);
  CHECK(out.str().size() <= 120 * 1024);
  CHECK(out.str() == again.str());
  CHECK(page_reader::data_of(out.str()).header["parts"].items.empty());
}

TEST_CASE("parts keep their order") {
  report::page_builder page;
  page.add("a", report::page_fact{.name = "x"}).add("b", report::page_fact{.name = "y"});
  std::ostringstream out;
  page.write(out);
  const page_reader::container read = page_reader::data_of(out.str());
  CHECK(read.part(0)["name"].text == "a");
  CHECK(read.part(1)["facts"].items[0]["name"].text == "y");
}

}  // namespace document_test
