// SPDX-License-Identifier: BSL-1.0
// The picture is well-formed, has a box for each operation, and stays inside its frame.
#include "../schedule/every_schedule.hpp"

#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>

#include "../bands_of.hpp"
#include "../xml.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace schedule_svg_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

std::size_t times_in(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

}  // namespace

TEST_CASE("a box for each operation, every element closed") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const std::string text = report::schedule_svg(t, costs{}, {.wrap = 0});
    CHECK(times_in(text, "<title>") == operations(t));
    CHECK(times_in(text, "<rect") == times_in(text, "</rect>") + times_in(text, "\"/>"));
    CHECK(times_in(text, "<text ") == times_in(text, "</text>"));
    CHECK(text.starts_with("<svg xmlns="));
    CHECK(text.ends_with("</svg>\n"));
  });
}

TEST_CASE("numbers fit into the narrowest box, from 2 x 4 to 16 x 64") {
  for (const setup& asked : {setup{.ipus = 2, .micro_batches = 4}, setup{.ipus = 16, .micro_batches = 64}}) {
    const auto t = one_f_one_b(asked);
    const std::string text = report::schedule_svg(t, costs{}, {.wrap = 0});
    CHECK(times_in(text, "<text ") >= operations(t));  // every box is wide enough for its number
    CHECK(times_in(text, ">steady state<") == 1);
    const std::size_t width = 2 * 56 + makespan(t) * 16;
    CHECK(text.find("width=\"" + std::to_string(width) + "\"") != std::string::npos);
  }
}

TEST_CASE("all is within the frame with rows and margins of any size") {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 5u, 7u, 24u}) {
    for (const auto& [row, margin] : {std::pair<std::size_t, std::size_t>{size, 56}, {24, size}, {size, size}}) {
      const xml::document d = xml::parsed(report::schedule_svg(dualpipe({.ipus = 2, .micro_batches = 8}), costs{}, {.row = row, .margin = margin}));
      const double width = d.elements.front().number("width"), height = d.elements.front().number("height");
      for (const xml::element& e : d.elements) {
        if (e.name != "rect" && e.name != "text") continue;
        CHECK(e.number("x") <= width);
        CHECK(e.number("y") <= height);
        if (e.name != "rect") continue;
        CHECK(e.number("height") >= 1);
        CHECK(e.number("height") <= height);
      }
    }
  }
}

TEST_CASE("the names of all passes fit below the shortest picture") {
  const std::string text = report::schedule_svg(dualpipe({.ipus = 2, .micro_batches = 4}));  // four kinds of passes, twelve units
  const std::size_t names = std::string("forwardbackwardbackward for inputsbackward for weights").size();
  CHECK(text.find("width=\"" + std::to_string(56 + 4 * 30 + 6 * names) + "\"") != std::string::npos);
}

TEST_CASE("the headline has name, sizes and makespan, and fits") {
  const auto t = one_f_one_b({.ipus = 1, .micro_batches = 1});
  const std::string text = report::schedule_svg(t, {}, {.name = "1f1b"});
  const std::string headline = "1f1b: 1 micro-batch, 1 IPU: 3 units of time";
  CHECK(text.find(">" + headline + "<") != std::string::npos);
  CHECK(text.find("width=\"" + std::to_string(56 + 6 * headline.size()) + "\"") != std::string::npos);
  CHECK(text.find(">0 units of time<") != std::string::npos);
  const auto plain = report::schedule_svg(forwards_only({.ipus = 2, .micro_batches = 4, .run_for = mode::inference}));
  CHECK(plain.find(">4 micro-batches of inference, 2 IPUs: 5 units of time<") != std::string::npos);
}

TEST_CASE("costs stretch the time") {
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 4});
  const costs slow{.forward = 30, .backward_inputs = 40, .backward_weights = 50};
  CHECK(report::schedule_svg(t, slow, {.unit = 2, .wrap = 0}).find("viewBox=\"0 0 " + std::to_string(112 + 2 * makespan(t, slow))) !=
        std::string::npos);
}

TEST_CASE("updates that take time are drawn to the end that analysis counts, and are of no one micro-batch") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const costs c{.update = 3};
    const std::string text = report::schedule_svg(t, c, {.highlight = 7, .wrap = 0});
    CHECK(text.find(std::to_string(makespan(t, c)) + " units of time") != std::string::npos);
    CHECK(times_in(text, "<title>update, stage ") == times_in(text, "<title>") - operations(t));
    CHECK((times_in(text, "<title>update, stage ") >= t.where.stages) == (t.run_for == mode::training));
    CHECK(times_in(text, " to " + std::to_string(makespan(t, c)) + "</title>") >= 1);
    CHECK(times_in(text, " lit\"") == times_in(text, " of micro-batch 7, "));
  });
}

TEST_CASE("a picture grows with its operations, and not with their costs") {
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 4});
  const std::string plain = report::schedule_svg(t);
  for (const std::size_t cost : {std::size_t{1000}, std::size_t{1'000'000'000}, std::size_t{1} << 55}) {
    const std::string alike = report::schedule_svg(t, costs{cost, cost, cost});
    CHECK(alike.size() < 3 * plain.size());
    const std::string apart = report::schedule_svg(t, costs{.forward = 1, .backward_inputs = cost, .communication = cost});
    CHECK(apart.size() < 3 * plain.size());
    for (const std::string& text : {alike, apart})
      CHECK(text.find("viewBox=\"0 0 " + std::to_string(112 + 64 * 16)) != std::string::npos);  // 64 for each of 16
  }
  CHECK(report::schedule_svg(t, {}, {.unit = static_cast<std::size_t>(-1)}).size() < 1'000'000'000);
}

TEST_CASE("a highlighted micro-batch: its operations stand out, all others are pale") {
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 8});
  const std::string text = report::schedule_svg(t, costs{}, {.highlight = 3});
  CHECK(times_in(text, " lit\"") == 8);
  CHECK(times_in(text, " dim\"") == operations(t) - 8);
  CHECK(times_in(report::schedule_svg(t), " dim\"") == 0);
}

TEST_CASE("a picture that is too wide is the same picture in bands, for every schedule") {
  const costs uneven{.forward = 3, .backward_inputs = 4, .backward_weights = 5, .communication = 1};
  std::size_t wrapped = 0;
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [&](auto, const setup&, const auto& t) {
    const std::string plain = report::schedule_svg(t, uneven, {.name = "law", .wrap = 0});
    const auto width = static_cast<std::size_t>(xml::parsed(plain).elements.front().number("width"));
    for (const std::size_t wrap : {std::size_t{440}, std::size_t{700}, width - 1}) {
      const std::string text = report::schedule_svg(t, uneven, {.name = "law", .wrap = wrap});
      if (2 * 56 + makespan(t, uneven) * 6 <= wrap || wrap < 440) continue;  // its time fits
      bands_of::check(text, plain, wrap);
      CHECK(times_in(text, ">law: ") == 1);
      CHECK(times_in(text, ">forward<") == 1);
      ++wrapped;
    }
    CHECK(report::schedule_svg(t, uneven, {.name = "law", .wrap = width}) == plain);
  });
  CHECK(wrapped > 100);
}

TEST_CASE("bands of large times and of odd ones, and of times that pixels cannot tell apart") {
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 16});
  for (const std::size_t cost : {std::size_t{997}, std::size_t{1'000'003}, (std::size_t{1} << 50) + 7}) {
    for (const costs& c : {costs{cost, cost, cost}, costs{.forward = 1, .backward_inputs = cost, .communication = 2}}) {
      const std::string plain = report::schedule_svg(t, c, {.wrap = 0});
      bands_of::check(report::schedule_svg(t, c), plain, 1200);
      bands_of::check(report::schedule_svg(t, c, {.row = 31, .margin = 80, .highlight = 3, .wrap = 600}),
                      report::schedule_svg(t, c, {.row = 31, .margin = 80, .highlight = 3, .wrap = 0}), 600);
    }
  }
}

TEST_CASE("a limit that leaves no room has bands in which an operation has it") {
  const auto t = one_f_one_b({.ipus = 2, .micro_batches = 8});
  const std::string text = report::schedule_svg(t, costs{}, {.wrap = 1});
  CHECK(times_in(text, ">IPU 0<") == 7);  // 27 units of time, 16 pixels each, four of them in 64
  CHECK(report::schedule_svg(t, costs{}, {.wrap = 2 * 56 + 64}) == text);
}

}  // namespace schedule_svg_test
