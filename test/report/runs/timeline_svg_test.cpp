// SPDX-License-Identifier: BSL-1.0
// Pictures are well-formed XML, have a box for each thing that happened, inside its row, and grow no further than so
// far.
#include <ipuflow/report/runs/chips_timeline_svg.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include "bands_of.hpp"
#include "hand_made.hpp"
#include "xml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace timeline_svg_test {

using namespace ipuflow;
using namespace ipuflow::report;

namespace {

/// All boxes stay in the frame.
void check_frame(const xml::document& d) {
  const double width = d.elements.front().number("width");
  const double height = d.elements.front().number("height");
  for (const xml::element& e : d.elements) {
    if (e.name != "rect") continue;
    CHECK(e.number("x") >= 0);
    CHECK(e.number("x") + e.number("width") <= width);
    CHECK(e.number("y") + e.number("height") <= height);
  }
}

}  // namespace

TEST_CASE("of a host run, a box for each operation and each run") {
  for (const std::size_t ipus : {2u, 4u, 16u}) {
    const auto t = schedule::grouped({.ipus = ipus, .micro_batches = 4 * ipus});
    const xml::document d = xml::parsed(timeline_svg(hand_made::on_host(t, 2), {.most_width = 100'000, .wrap = 0}));
    check_frame(d);
    CHECK(d.count("title") == 2 * operations(t) + 2);
    CHECK(d.count_class("F") == 1 + 2 * 4 * ipus * ipus);  // and a key
    CHECK(d.count_class("B") == 1 + 2 * 4 * ipus * ipus);
    CHECK(d.count_class("steady") == 2);
  }
}

TEST_CASE("of a run on chips, a box for each activity on each row that it is on") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 16});
  const run::chips_profile p = hand_made::on_chips(t);
  const timeline seen = timeline_of(p);
  const xml::document d = xml::parsed(timeline_svg(p));
  check_frame(d);
  CHECK(d.count("title") == seen.slices.size());
  CHECK(d.elements.front().number("width") < 1200);  // in one band
  CHECK(d.count_class("stash") == 1 + 64);
  CHECK(d.count_class("in") == 1 + 2 * 16);
  CHECK(d.count_class("steady") == 1);
  for (std::size_t m = 0; m < 16; ++m) {
    for (std::size_t stage = 0; stage < 4; ++stage) {
      for (const char* pass : {"forward ", "backward "}) {
        CHECK(d.count_text(pass + std::to_string(m) + ", stage " + std::to_string(stage) + ",") == 1);
      }
    }
  }
}

TEST_CASE("whatever happens at once on a row has a box in it, however much that is") {
  for (const std::size_t lanes : {1u, 2u, 5u, 11u, 12u, 22u, 23u, 30u, 200u}) {
    timeline t{.rows = {{.name = "host", .host = true}}, .length = 2 * lanes, .in_cycles = true};
    for (std::size_t i = 0; i < lanes; ++i) t.slices.push_back({.kind = slice_kind::infeed, .row = 0, .start = i, .finish = lanes + i});
    arrange(t);
    REQUIRE(t.rows[0].lanes == lanes);
    const xml::document d = xml::parsed(impl::picture_of_run<>(t));
    check_frame(d);
    const auto of_class = [](const xml::element& e, const char* name) {
      return std::any_of(e.attributes.begin(), e.attributes.end(), [&](const auto& a) { return a.first == "class" && a.second == name; });
    };
    double top = 0, bottom = 0;
    for (const xml::element& e : d.elements) {
      if (e.name == "rect" && of_class(e, "lane")) top = e.number("y"), bottom = top + e.number("height");
    }
    std::size_t boxes = 0;
    for (const xml::element& e : d.elements) {
      if (e.name != "rect" || !of_class(e, "in") || e.number("y") >= bottom) continue;  // the legend's is below
      ++boxes;
      CHECK(e.number("height") >= 1);
      CHECK(e.number("y") >= top);
      CHECK(e.number("y") + e.number("height") <= bottom);
    }
    CHECK(boxes == lanes);
  }
}

TEST_CASE("widths are those of the times") {
  const run::chips_profile p = hand_made::on_chips(schedule::sequential({.ipus = 2, .micro_batches = 3}));
  const xml::document d = xml::parsed(timeline_svg(p));
  const double pixel = static_cast<double>(p.chips.total.value) / 920;
  std::size_t seen = 0;
  for (const slice& s : timeline_of(p).slices) {
    for (const xml::element& e : d.elements) {
      if (e.name != "rect" || !e.text.starts_with(name_of(s) + ", ") ||
          e.number("y") != 49.0 + 24.0 * static_cast<double>(s.row))
        continue;
      if (std::abs(e.number("x") - 56 - static_cast<double>(s.start) / pixel) > 0.11) continue;
      const double wide = static_cast<double>(s.finish - s.start) / pixel;
      CHECK(e.number("width") == doctest::Approx(wide >= 4 ? wide - 1 : wide).epsilon(0.03));
      ++seen;
    }
  }
  CHECK(seen == timeline_of(p).slices.size());
}

TEST_CASE("a long run is cut, and says how much of it is not shown") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 4, .micro_batches = 80'000}));
  for (const std::size_t wrap : {0u, 1200u}) {
    const std::string text = timeline_svg(p, {.wrap = wrap});
    const xml::document d = xml::parsed(text);
    check_frame(d);
    CHECK(d.count("rect") < 6000);
    CHECK(d.count_class("cut") == 4);
    CHECK(d.count_class("steady") == (wrap == 0 ? 3 : 5 + 4));  // beginning and end have two bands each, and so two tips
    CHECK(text.find("between the broken lines are not shown") != std::string::npos);
    CHECK(text.find(">A run on chips: ") != std::string::npos);
    CHECK(text.find(">0 cycles<") != std::string::npos);
    CHECK(d.count_text("backward 79999, stage 0,") == 1);
    CHECK(d.count_text("forward 0, stage 0,") == 1);
  }
}

TEST_CASE("nothing happened, and something that took no time") {
  check_frame(xml::parsed(timeline_svg(run::trace{0})));
  check_frame(xml::parsed(timeline_svg(run::chips_profile{})));
  run::chips_profile p;
  p.chips.chips.resize(1);
  p.labels = {{run::chips_work::pass, 0, 0, schedule::pass::forward}};
  p.order.resize(1);
  p.chips.activities = {{.label = 0}};
  check_frame(xml::parsed(timeline_svg(p)));
}

TEST_CASE("a highlighted micro-batch stands out of all boxes, its way goes through its passes in order") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 16});
  for (const std::size_t runs : {1u, 2u}) {
    const run::chips_profile p = hand_made::on_chips(t, runs);
    const timeline all = timeline_of(p);
    std::size_t passes = 0;
    std::size_t others = 0;
    for (const slice& s : all.slices) {
      const bool lit = s.micro_batch == 5;
      passes += lit && is_pass(s.kind) ? 1u : 0u;
      others += lit && !is_pass(s.kind) ? 1u : 0u;
    }
    REQUIRE(passes == 8 * runs);
    const xml::document d = xml::parsed(timeline_svg(p, {.most_width = 100'000, .highlight = 5, .wrap = 0}));
    check_frame(d);
    std::size_t lit = 0;
    std::size_t dim = 0;
    std::vector<const xml::element*> ways;
    for (const xml::element& e : d.elements) {
      if (e.name == "path" && e["class"] == "way") ways.push_back(&e);
      if (e.name != "rect") continue;
      lit += e["class"].ends_with(" lit") ? 1u : 0u;
      dim += e["class"].ends_with(" dim") ? 1u : 0u;
    }
    CHECK(lit == passes + others);
    CHECK(lit + dim == all.slices.size());
    REQUIRE(ways.size() == runs);
    for (const xml::element* way : ways) {
      const std::string& path = (*way)["d"];
      CHECK(std::count(path.begin(), path.end(), 'L') == 7);
      double last = 0;
      std::istringstream in(path);
      std::vector<double> rows;
      for (char letter = 0; in >> letter;) {
        double x = 0;
        double y = 0;
        in >> x >> y;
        CHECK(x > last);
        last = x;
        rows.push_back((y - 60) / 24);
      }
      CHECK(rows == std::vector<double>{0, 1, 2, 3, 3, 2, 1, 0});
    }
  }
  CHECK(xml::parsed(timeline_svg(hand_made::on_chips(t))).count_class("way") == 0);
}

TEST_CASE("all replicas have rows of their own, with the same on them") {
  const auto t = schedule::grouped({.ipus = 2, .micro_batches = 8});
  run::chips_profile p = hand_made::on_chips(t);
  const timeline one = timeline_of(p);
  p.chips.replicas = 3;
  CHECK(timeline_of(p).slices == one.slices);  // unless it is asked for
  const timeline three = timeline_of(p, {.all_replicas = true});
  REQUIRE(three.rows.size() == 7);
  CHECK(three.rows[3].name == "replica 1 IPU 1");
  CHECK(three.rows[6].host);
  const auto on_row = [](const timeline& shown, std::size_t row) {
    std::vector<slice> found;
    for (slice s : shown.slices) {
      if (s.row != row) continue;
      s.row = 0;
      found.push_back(s);
    }
    return found;
  };
  for (std::size_t row = 0; row < 6; ++row) CHECK(on_row(three, row) == on_row(one, row % 2));
  CHECK(on_row(three, 6) == on_row(one, 2));
  check_frame(xml::parsed(timeline_svg(p, {.all_replicas = true})));
}

TEST_CASE("a run that is too wide is the same picture in bands") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 64});
  for (const std::size_t runs : {1u, 2u}) {
    for (const std::size_t highlight : {std::size_t{20}, schedule::nowhere}) {
      const run::chips_profile chips = hand_made::on_chips(t, runs);
      const run::trace host = hand_made::on_host(t, runs, 100'000, 1'000'000);  // so that an axis has whole milliseconds
      for (const std::size_t wrap : {500u, 1200u}) {
        const auto drawn = [&](const auto& ran, std::size_t limit) {
          return timeline_svg(ran, {.most_width = 100'000, .highlight = highlight, .wrap = limit});
        };
        bands_of::check(drawn(chips, wrap), drawn(chips, 0), wrap, 1);
        bands_of::check(drawn(host, wrap), drawn(host, 0), wrap, 1);
      }
    }
  }
}

TEST_CASE("a way that crosses a break ends at the edge of one band and goes on at that of the other, as high") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 4, .micro_batches = 64}));
  const xml::document d = xml::parsed(timeline_svg(p, {.highlight = 20}));
  std::vector<std::vector<std::pair<double, double>>> ways;
  for (const xml::element& e : d.elements) {
    if (e.name != "path" || e["class"] != "way") continue;
    std::istringstream in(e["d"]);
    ways.emplace_back();
    double x = 0;
    double y = 0;
    for (char letter = 0; in >> letter >> x >> y;) ways.back().emplace_back(x, y);
  }
  const std::vector<bands_of::band> bands = bands_of::of(d, 5);
  REQUIRE(ways.size() == 2);
  CHECK(ways[0].size() + ways[1].size() == 8 + 2);  // passes, and both sides of the break
  CHECK(ways[0].back().first == doctest::Approx(56 + bands[0].width));
  CHECK(ways[1].front().first == 56);
  CHECK(ways[1].front().second - ways[0].back().second == bands[1].down);
}

TEST_CASE("the legend of a narrow picture has lines, and its note is below them") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 2, .micro_batches = 4000}));
  const xml::document d = xml::parsed(timeline_svg(p, {.most_width = 500, .wrap = 400}));
  check_frame(d);
  CHECK(d.elements.front().number("width") <= 400);
  double keys = 0;
  double note = 0;
  for (const xml::element& e : d.elements) {
    if (e.name != "text") continue;
    if (e.text == "exchange") keys = e.number("y");
    if (e.text.ends_with("are not shown")) note = e.number("y");
  }
  CHECK(note > keys);
  CHECK(note < d.elements.front().number("height"));
}

TEST_CASE("times of breaks on the host are in the unit of the axis, or exact in a smaller one") {
  const auto t = schedule::grouped({.ipus = 4, .micro_batches = 64});
  const std::string text = timeline_svg(hand_made::on_host(t, 2, 100'000, 1374), {.wrap = 1000});
  CHECK(text.find(">140 us<") != std::string::npos);  // a break, where numbers stand every 50 us
  CHECK(text.find(">1.109 ms<") != std::string::npos);  // the end
  CHECK(text.find(">0 us<") != std::string::npos);
}

}  // namespace timeline_svg_test
