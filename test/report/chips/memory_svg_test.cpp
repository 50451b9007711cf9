// SPDX-License-Identifier: BSL-1.0
// Pictures of memory are well-formed, have an area for each category that takes bytes, and say the numbers of the
// profile.
#include <ipuflow/report/chips/memory_svg.hpp>

#include "printed.hpp"
#include "xml.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

namespace memory_svg_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

namespace {

std::size_t paths(const xml::document& d, ipu::memory_category c) {
  return static_cast<std::size_t>(std::count_if(d.elements.begin(), d.elements.end(), [&](const xml::element& e) {
    return e.name == "path" && e["class"] == svg_style_of(c);
  }));
}

bool says(const xml::document& d, const std::string& words) {
  return std::any_of(d.elements.begin(), d.elements.end(), [&](const xml::element& e) {
    return (e.name == "text" || e.name == "title") && e.text.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("over steps: all tiles and the fullest, what is always live below what is not") {
  const ipu::profile p = printed::some_profile(4, 1);
  const xml::document d = xml::parsed(memory_over_steps_svg(p));
  std::set<std::string> styles;
  for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    CHECK(styles.insert(svg_style_of(which)).second);
    CHECK(paths(d, which) == (which == ipu::memory_category::gaps ? 0 : 2));
    if (which >= ipu::memory_category::not_always_live) continue;
    CHECK(says(d, std::string(name_of(which)) + ": " + with_commas(p.memory.total(which)) + " bytes"));
  }
  std::uint64_t base = 0;
  for (const ipu::tile_memory& t : p.memory.tiles) base += always_live(t);
  const std::uint64_t peak = *std::max_element(p.memory.live_by_step.begin(), p.memory.live_by_step.end());
  CHECK(says(d, "all tiles: " + with_commas(base) + " bytes are always live, at most " + with_commas(base + peak) +
                    " are live in step "));
  CHECK(says(d, "tile 2 of IPU 3, the fullest: " + with_commas(always_live(p.memory.tiles.back())) + " bytes"));
  CHECK(d.count_class("limit") == 0);  // far above
  CHECK(says(d, " % of its 638,976"));
}

TEST_CASE("areas stand on each other, in the order of categories") {
  ipu::profile p = printed::some_profile(1, 1);
  p.tile_memory = bytes{1000};
  p.memory.fullest_by_step = {300};
  p.memory.tiles = {{{100, 50, 50, 100, 100, 200, 300, 0}}};
  p.memory.fullest = 0;
  const auto top = [](const xml::document& d, const std::string& style) {  // of the last panel, in bytes
    std::string path;
    for (const xml::element& e : d.elements) {
      if (e.name == "path" && e["class"] == style) path = e["d"];
    }
    const std::size_t first = path.find('V');
    const double bottom = std::stod(path.substr(path.find(' ') + 1));
    return bottom - std::stod(path.substr(first + 1));
  };
  const char* const styles[] = {"vc", "vs", "ec", "cc", "st", "al", "na"};
  double sum = 0;
  for (std::size_t c = 0; c < 7; ++c) {
    sum += p.memory.tiles[0].by_category[c];
    CHECK(top(xml::parsed(memory_over_steps_svg(p)), styles[c]) == doctest::Approx(150 * sum / 1000).epsilon(0.002));
    CHECK(top(xml::parsed(memory_by_tile_svg(p)), styles[c]) == doctest::Approx(110 * sum / 1000).epsilon(0.002));
  }
}

TEST_CASE("tile by tile: a panel for each IPU, an area for each of its categories") {
  for (const std::size_t chips : {1u, 4u, 16u}) {
    ipu::profile p = printed::some_profile(chips, 1);
    p.tile_memory = bytes{p.memory.tiles.back().total() + 8};
    p.memory.tiles[0][ipu::memory_category::stack] = 0;
    p.memory.tiles[1][ipu::memory_category::stack] = 0;
    p.memory.tiles[2][ipu::memory_category::stack] = 0;
    const xml::document d = xml::parsed(memory_by_tile_svg(p));
    for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
      const auto which = static_cast<ipu::memory_category>(c);
      CHECK(paths(d, which) == chips - (which == ipu::memory_category::stack ? 1 : 0));
    }
    CHECK(d.count_class("lane") == chips);
    CHECK(d.count_class("limit") == chips);
    for (std::size_t chip = 0; chip < chips; ++chip) {
      std::uint64_t sum = 0;
      for (std::size_t t = 3 * chip; t < 3 * chip + 3; ++t) sum += p.memory.tiles[t].total();
      CHECK(says(d, "IPU " + std::to_string(chip) + ": " + with_commas(sum) + " bytes"));
    }
  }
}

TEST_CASE("the limit is inside its panel, whether tiles have less or more") {
  for (const std::uint32_t used : {0u, 100'000u, 160'000u, 600'000u, 700'000u, 5'000'000u}) {
    ipu::profile p = printed::some_profile(1, 1);
    p.memory.tiles[1] = {{0, 0, 0, 0, 0, used, 0, 0}};
    p.memory.fullest = 1;
    for (const std::string& text : {memory_by_tile_svg(p), memory_over_steps_svg(p)}) {
      const xml::document d = xml::parsed(text);
      CHECK(d.count_class("limit") == (used >= 638'976 / 4 ? 1 : 0));
      double top = 0;
      for (const xml::element& e : d.elements) {
        if (e.name == "rect" && e["class"] == "lane") top = e.number("y");
        if (e.name == "path" && e["class"] == "limit") CHECK(std::stod(e["d"].substr(e["d"].find(' '))) >= top);
      }
    }
  }
}

TEST_CASE("nothing is known") {
  const xml::document steps = xml::parsed(memory_over_steps_svg({}));
  const xml::document tiles = xml::parsed(memory_by_tile_svg({}));
  CHECK(steps.count("path") == 0);
  CHECK(tiles.count("path") == 0);
}

}  // namespace memory_svg_test
