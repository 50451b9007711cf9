// SPDX-License-Identifier: BSL-1.0
// Bands hold all of the time once, in equal parts; what is drawn of a stretch is all of it, broken where they are.
#include <ipuflow/report/drawing/bands.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace bands_test {

using namespace ipuflow::report;
using namespace ipuflow::report::impl;

static_assert(room_in(1200, 56) == 1088);
static_assert(room_in(0, 56) == static_cast<std::size_t>(-1));
static_assert(room_in(1, 56) == 64 && room_in(176, 56) == 64 && room_in(178, 56) == 66);  // an operation has room

static_assert(band_time(1000, 1000) == 1000);
static_assert(band_time(1001, 1000) == 550);  // 501 in halves; 550 is rounder
static_assert(band_time(201, 100) == 70);     // 67, 67, 67
static_assert(band_time(213, 68) == 55);
static_assert(band_time(391, 55) == 50 && band_time(391, 49) == 49);  // where there is room
static_assert(band_time(10, 0) == 1 && band_time(10, 1) == 1);
static_assert(band_time(std::uint64_t{1} << 63, std::uint64_t{1} << 62) == std::uint64_t{1} << 62);

TEST_CASE("bands are as few as have room, all alike, the last perhaps shorter") {
  for (std::uint64_t length = 1; length <= 150; ++length) {
    for (std::uint64_t most = 1; most <= length; ++most) {
      const std::uint64_t each = band_time(length, most);
      REQUIRE(each <= most);
      REQUIRE((length - 1) / each == (length - 1) / most);
      ipuflow::light_vector<pane> panes{{.begin = 0, .end = 7, .band = 4}};
      add_bands(panes, {.begin = 1000, .end = 1000 + length, .window = 2, .left = 9}, most);
      REQUIRE(panes.size() == 2 + (length - 1) / each);
      for (std::size_t i = 1; i < panes.size(); ++i) {
        const bool last = i + 1 == panes.size();
        const std::uint64_t begin = 1000 + (i - 1) * each;
        REQUIRE(panes[i] == pane{.begin = begin, .end = last ? 1000 + length : begin + each, .window = 2, .band = 4 + i,
                                 .left = 9, .continues = i > 1, .goes_on = !last});
      }
    }
  }
}

TEST_CASE("a window without time is a band without time") {
  ipuflow::light_vector<pane> panes;
  add_bands(panes, {.begin = 3, .end = 3}, 0);
  CHECK(panes == ipuflow::light_vector<pane>{{.begin = 3, .end = 3}});
}

TEST_CASE("parts of a stretch are all of it that is shown, broken where panes are") {
  ipuflow::light_vector<pane> panes;
  add_bands(panes, {.begin = 0, .end = 30}, 10);
  add_bands(panes, {.begin = 40, .end = 55, .window = 1}, 10);
  for (std::uint64_t start = 0; start <= 56; ++start) {
    for (std::uint64_t finish = start; finish <= 57; ++finish) {
      ipuflow::light_vector<shown_part> seen;
      for_each_part(panes, start, finish, [&](const pane& p, const shown_part& drawn) {
        CHECK(drawn.begin >= p.begin);
        CHECK(drawn.end <= p.end);
        seen.push_back(drawn);
      });
      ipuflow::light_vector<shown_part> expected;
      for (const pane& p : panes) {
        const shown_part here{.begin = start < p.begin ? p.begin : start, .end = finish < p.end ? finish : p.end,
                        .continues = p.continues && start < p.begin, .goes_on = p.goes_on && finish > p.end};
        const bool moment = start == finish && start < p.end && start + (p.continues ? 1 : 0) > p.begin;
        if (start == finish ? moment : here.begin < here.end) expected.push_back(here);
      }
      REQUIRE(seen == expected);
    }
  }
}

TEST_CASE("an axis has multiples; in bands also the times of the breaks, and nothing that is near them") {
  const auto ticks = [](pane p, std::uint64_t every, bool ends) {
    ipuflow::light_vector<std::uint64_t> seen;
    for_each_tick(p, every, ends, [&](std::uint64_t at) { seen.push_back(at); });
    return seen;
  };
  using times = ipuflow::light_vector<std::uint64_t>;
  CHECK(ticks({.begin = 0, .end = 23}, 10, false) == times{0, 10, 20});
  CHECK(ticks({.begin = 0, .end = 23}, 10, true) == times{0, 10, 23});
  CHECK(ticks({.begin = 5, .end = 25}, 10, true) == times{5, 10, 20, 25});
  CHECK(ticks({.begin = 6, .end = 24}, 10, true) == times{6, 24});
  CHECK(ticks({.begin = 20, .end = 40}, 10, true) == times{20, 30, 40});
  CHECK(ticks({}, 10, true) == times{0});
}

TEST_CASE("a line between two edges: what crosses one ends there, at its height") {
  const auto drawn = [](const ipuflow::light_vector<corner>& line, std::size_t left, std::size_t right) {
    std::string path;
    for_each_step(line, left, right, [&](bool down, const corner& to) {
      path += (down ? "L" : "M") + std::to_string(to.x) + "," + std::to_string(to.y);
    });
    return path;
  };
  const ipuflow::light_vector<corner> line{{0, 0}, {100, 100}, {200, 0}, {160, 40}};
  CHECK(drawn(line, 0, 1000) == "M0,0L100,100L200,0L160,40");
  CHECK(drawn(line, 0, 50) == "M0,0L50,50");
  CHECK(drawn(line, 50, 150) == "M50,50L100,100L150,50");
  CHECK(drawn(line, 100, 150) == "M100,100L150,50");  // nothing of what only touches
  CHECK(drawn(line, 150, 170) == "M150,50L170,30L160,40");  // out and in at the same place
  CHECK(drawn(line, 201, 300).empty());
  CHECK(drawn({{0, 0}, {100, 100}}, 25, 75) == "M25,25L75,75");
  CHECK(drawn({{7, 8}}, 0, 10) == "M7,8");
  CHECK(drawn({{7, 8}}, 8, 10).empty());
}

TEST_CASE("tips are where a box goes on, as high as it is") {
  const auto drawn = [](const shown_part& of) {
    svg_canvas canvas(1, 1);
    const std::size_t before = canvas.finish().size();
    draw_tips(canvas, "F lit", 10, 20, 50, 23, of, " opacity=\"0.8\"");
    const std::string text = canvas.finish();
    return text.substr(before - 7, text.size() - before);
  };
  const std::string left = "<path class=\"F lit\" d=\"M10 20l-4 11.5l4 11.5z\" opacity=\"0.8\"/>\n";
  const std::string right = "<path class=\"F lit\" d=\"M50 20l4 11.5l-4 11.5z\" opacity=\"0.8\"/>\n";
  CHECK(drawn({}).empty());
  CHECK(drawn({.continues = true}) == left);
  CHECK(drawn({.goes_on = true}) == right);
  CHECK(drawn({.continues = true, .goes_on = true}) == left + right);
}

}  // namespace bands_test
