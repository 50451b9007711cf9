// SPDX-License-Identifier: BSL-1.0
// The picture is well-formed, and has a cell for each power that some number has, inside its row.
#include <ipuflow/report/distribution_svg.hpp>

#include "xml.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

namespace distribution_svg_test {

using namespace ipuflow::report;

TEST_CASE("a cell for each power in use, the darkest for the most frequent") {
  const std::vector<float> numbers{1, 1.5f, 1, 0.25f, 0, 0x1p-60f, 0x1p+60f};
  const named_distribution shown[] = {{"weights <a>", distribution_of(std::span{numbers})}, {"nothing", {}}};
  const xml::document d = xml::parsed(distribution_svg(shown, "of a & b"));
  CHECK(d.count_class("cell") == 4);
  CHECK(d.count_class("lane") == 2);
  CHECK(d.count_class("cut") == 3);
  std::size_t titles = 0;
  for (const xml::element& e : d.elements) titles += e.name == "text" && e.text == "of a & b" ? 1u : 0u;
  CHECK(titles == 1);
  const double width = d.elements.front().number("width");
  std::size_t dark = 0;
  for (const xml::element& e : d.elements) {
    if (e.name != "rect" || e["class"] != "cell") continue;
    CHECK(e.number("x") + e.number("width") <= width - 20);
    dark += e.text.find("2^0: 3 of 7, 42.9 %") != std::string::npos ? 1u : 0u;
  }
  CHECK(dark == 1);
}

}  // namespace distribution_svg_test
