// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/text_table.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace text_table_test {

using ipuflow::report::text_table;

namespace {

ipuflow::light_vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  ipuflow::light_vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the first column to the left, the others to the right, nothing behind the last") {
  text_table t({"", "bytes", "%"});
  t.row({"code", "1,234", "9.0"});
  t.row({"a long name", "5"});
  CHECK(t.text() ==
        "             bytes    %\n"
        "code         1,234  9.0\n"
        "a long name      5\n");
}

TEST_CASE("columns are as wide as the characters in them, of however many bytes") {
  text_table t({"", "größe"});
  t.row({"Ω1", "5"});
  t.row({"plain", "λ"});
  CHECK(t.text() ==
        "       größe\n"
        "Ω1         5\n"
        "plain      λ\n");
}

TEST_CASE("columns that do not fit continue below; those that belong together stay together; none gets lost") {
  for (const std::size_t together : {1u, 2u}) {
    for (std::size_t width = 10; width <= 100; ++width) {
      ipuflow::light_vector<std::string> head{"x"};
      ipuflow::light_vector<std::string> row{"name"};
      for (int c = 0; c < 12; ++c) {
        head.push_back(std::string("c").append(std::to_string(c)));
        row.push_back(std::to_string(1000 + c));
      }
      text_table t(head, together);
      t.row(row);
      const std::string text = t.text(width);
      std::size_t seen = 0;
      for (const std::string& line : lines_of(text)) {
        CHECK(line.size() <= std::max(width, std::size_t{4 + 2 + 4 + 1 + 4}));
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word != "name") continue;
        std::size_t count = 0;
        for (; words >> word; ++count, ++seen) CHECK(word == row[seen + 1]);
        CHECK(count % together == 0);
      }
      CHECK(seen == 12);
    }
  }
}

TEST_CASE("a table of names only") {
  text_table t({"names"});
  t.row({"a"});
  CHECK(t.text() == "names\na\n");
}

TEST_CASE("columns that stand together in groups of none stand alone") {
  text_table none({"", "a", "b"}, 0), one({"", "a", "b"});
  for (text_table* t : {&none, &one}) t->row({"x", "1", "2"});
  CHECK(none.text() == one.text());
}

}  // namespace text_table_test
