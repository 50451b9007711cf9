// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/part.hpp>

#include <doctest/doctest.h>

#include "report/json.hpp"

#include <limits>
#include <string>
#include <string_view>

namespace part_test {

using namespace ipuflow;
using report::impl::page_part;

TEST_CASE("facts are words or numbers, and the text has what the data have") {
  report::page_columns columns;
  page_part part{"first", columns};
  part.begin("chips", {.per_second = 100, .in_cycles = true, .name = "cycles"}, "Something bounds it.", "A note.");
  part.begin("threads", {}, "no");  // the first counts
  part.fact("network", "a \"b\"", "what");
  part.number("cycles", 1234567, "", "speed");
  part.number("change", -2.5, "%");
  describe(part, report::page_fact{.name = "with error", .number = 2, .is_number = true, .error = 3.5});
  describe(part, report::page_fact{.name = "large", .number = 1e20, .is_number = true});
  part.breakdown({{"compute", 300}, {"exchange", 100}}, 400);
  part.breakdown({{"other", 1}}, 1);
  describe(part, report::page_samples{8});
  const json::value read = json::parser{part.json()}.parse();
  CHECK(read["kind"].text == "chips");
  CHECK(read["name"].text == "first");
  CHECK(read["bound"].text == "Something bounds it.");
  CHECK(read["note"].text == "A note.");
  CHECK(read["ticks_per_second"].number == 100);
  CHECK(read["in_cycles"].boolean);
  const auto& facts = read["facts"].items;
  CHECK(facts[0]["value"].text == "a \"b\"");
  CHECK(facts[0]["group"].text == "what");
  CHECK(facts[1]["value"].number == 1234567);
  CHECK(facts[2]["value"].number == -2.5);
  CHECK(facts[3]["error"].number == 3.5);
  CHECK(facts[6]["name"].text == "throughput");
  CHECK(facts[6]["value"].number == 2);  // 8 samples in 400 ticks of a hundredth of a second
  double sum = 0;
  for (const json::value& b : read["breakdown"].items) sum += b["value"].number;
  CHECK(sum == read["total"].number);
  const std::string html = part.html().text();
  for (const char* said : {"<h2>first</h2>", "1,234,567", "-2.500 %", "a &quot;b&quot;", "75.0", "100.0", "A note.",
                           R"(<th scope="row">with error</th><td>2</td>)", R"(<th scope="row">large</th><td>100,000,000,000,000,000,000</td>)"}) {
    CAPTURE(said);
    CHECK(html.find(said) != std::string::npos);
  }
}

TEST_CASE("no number that is not 0 is shown as 0, and times have the unit that shows three digits of them") {
  for (double size = 1.25; size > 1e-9; size /= 10) {
    report::page_columns columns;
    page_part part{"p", columns};
    part.begin("chips", {}, "");
    part.number("ratio", size), part.number("loss", -size), part.number("time", size, "s");
    const std::string html = part.html().text();
    CAPTURE(size);
    for (const char* name : {"ratio", "loss", "time"}) {
      const std::size_t at = html.find(std::string{"<th scope=\"row\">"} + name + "</th><td>");
      REQUIRE(at != std::string::npos);
      std::string words = html.substr(html.find("<td>", at) + 4, 24);
      CHECK(std::stod(words) != 0);
      std::erase(words, '.');
      CHECK(words.find("125") != std::string::npos);
      CHECK((words.front() == '-') == (name == std::string_view{"loss"}));
    }
  }
  report::page_columns columns;
  page_part part{"p", columns};
  part.begin("chips", {}, "");
  part.number("short", 0.000624, "s"), part.number("long", 125, "s");
  describe(part, report::page_fact{.name = "own", .words = "an age", .unit = "s", .number = 1e-3, .is_number = true});
  for (const char* said : {">624.000 us<", ">125.000 s<", ">an age s<"}) CHECK(part.html().text().find(said) != std::string::npos);
}

TEST_CASE("the first member of a name counts, and tables are in text and data") {
  report::page_columns columns;
  page_part part{"p", columns};
  part.begin("plan", {}, "");
  part.member("schedule", "1");
  part.member("schedule", "2");
  describe(part, report::page_table{.title = "t", .note = "n", .head = {"", "a"}, .rows = {{"r", "x"}}});
  const json::value read = json::parser{part.json()}.parse();
  CHECK(read["schedule"].number == 1);
  CHECK(read["tables"].items.at(0)["rows"].items.at(0).items.at(1).text == "x");
  CHECK(part.html().text().find("<td>x</td>") != std::string::npos);
}

TEST_CASE("a picture that would make the page slow is named in its place") {
  report::page_columns columns;
  page_part part{"p", columns};
  part.begin("plan", {}, "");
  part.picture(std::string(400'001, ' '), "A timeline");
  part.picture("<svg></svg>", "A small one");
  const std::string html = part.html().text();
  CHECK(html.find("A timeline: this picture would have 400.0 kB") != std::string::npos);
  CHECK(html.find("alt=\"A small one\"") != std::string::npos);
  CHECK(html.find("alt=\"A timeline\"") == std::string::npos);
}

TEST_CASE("times are words in the unit of the part") {
  using report::impl::page_ticks;
  CHECK(page_ticks{.per_second = 1e9, .name = "ns"}.text_of(2'500'000) == "2.500 ms");
  CHECK(page_ticks{.per_second = 1e9, .in_cycles = true, .name = "cycles"}.text_of(2'500'000) == "2,500,000 cycles");
  CHECK(page_ticks{.name = "units"}.text_of(12) == "12 units");
}

}  // namespace part_test
