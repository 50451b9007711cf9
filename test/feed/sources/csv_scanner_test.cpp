// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/csv_scanner.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace csv_scanner_test {

using namespace ipuflow;

namespace {

using rows = std::vector<std::vector<std::string>>;

rows scanned(std::string_view text, char separator = ',') {
  feed::impl::csv_scanner scan{{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "f", separator};
  rows all;
  std::string_view cell;
  while (scan.next_row()) {
    all.emplace_back();
    while (scan.next_cell(cell)) all.back().emplace_back(cell);
  }
  return all;
}

feed::table_fault wrong_with(std::string_view text) {
  try {
    scanned(text);
  } catch (const rejected<feed::table_fault>& wrong) {
    return wrong.found();
  }
  return {};
}

}  // namespace

TEST_CASE("rows end in LF or CRLF or with the file; blank lines are no rows") {
  const rows two{{"a", "b"}, {"1", "2"}};
  CHECK(scanned("a,b\n1,2\n") == two);
  CHECK(scanned("a,b\r\n1,2\r\n") == two);
  CHECK(scanned("a,b\n1,2") == two);
  CHECK(scanned("a,b\r\n1,2\r") == two);
  CHECK(scanned("\n\r\n\na,b\n\n\n1,2\n\r\n\r") == two);
  CHECK(scanned("\xEF\xBB\xBF" "a,b\n1,2") == two);
  CHECK(scanned("").empty());
  CHECK(scanned("\n\r\n").empty());
}

TEST_CASE("cells may be empty, also the last one of a row and of the file") {
  CHECK(scanned(",\n,x,\n") == rows{{"", ""}, {"", "x", ""}});
  CHECK(scanned("a,") == rows{{"a", ""}});
  CHECK(scanned("\"\",\"\"") == rows{{"", ""}});
  CHECK(scanned("a;b,c", ';') == rows{{"a", "b,c"}});
}

TEST_CASE("quotes keep separators, line ends and doubled quotes") {
  CHECK(scanned("\"a,b\",\"c\nd\"\r\n\"say \"\"hi\"\"\",\"\"\"\"\n") == rows{{"a,b", "c\nd"}, {"say \"hi\"", "\""}});
  CHECK(scanned("\"a\"") == rows{{"a"}});
  CHECK(scanned("\"a\"\r") == rows{{"a"}});
}

TEST_CASE("a quote that is out of place is refused where it is") {
  const feed::table_fault open = wrong_with("x\n\"a\nb");
  CHECK(open == feed::table_fault{feed::table_wrong::quote_open, 0, 0, {feed::file_name{"f"}, 2, 1, fixed_string<60>{"a\nb"}}});
  const feed::table_fault inside = wrong_with("x\n1,ab\"c");
  CHECK(inside == feed::table_fault{feed::table_wrong::quote_inside, 0, 0, {feed::file_name{"f"}, 2, 2, fixed_string<60>{"ab"}}});
  CHECK(wrong_with("\"a\"b").kind == feed::table_wrong::quote_inside);
}

TEST_CASE("a cell knows its line, those of quoted line ends counted") {
  const std::string_view text = "\n\"a\nb\",c\nd";
  feed::impl::csv_scanner scan{{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "f", ','};
  std::string_view cell;
  REQUIRE(scan.next_row());
  REQUIRE(scan.next_cell(cell));
  CHECK(scan.line() == 2);
  REQUIRE(scan.next_cell(cell));
  CHECK(scan.line() == 3);
  CHECK(scan.column() == 2);
  REQUIRE(!scan.next_cell(cell));
  REQUIRE(scan.next_row());
  REQUIRE(scan.next_cell(cell));
  CHECK(scan.line() == 4);
}

}  // namespace csv_scanner_test
