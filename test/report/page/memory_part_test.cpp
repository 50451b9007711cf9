// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/memory_part.hpp>

#include <doctest/doctest.h>

#include "report/page_reader.hpp"
#include "report/printed.hpp"

#include <string>

namespace memory_part_test {

using namespace ipuflow;

TEST_CASE("bytes by tile and category, variables and liveness are the profile's, and sums are totals") {
  ipu::profile p = printed::some_profile(3, 1);
  for (std::size_t v = 0; v < p.memory.variables.size(); ++v) p.memory.variables[v].end_step = 3 * v;
  report::page_columns columns;
  report::impl::page_part part{"p", columns};
  part.begin("chips", {.in_cycles = true}, "");
  report::impl::add_memory<>(part, p);
  const page_reader::container read{columns.container(part.json())};
  const json::value& memory = read.header["memory"];
  const ipu::memory_report& m = p.memory;
  CHECK(memory["tile_memory"].number == static_cast<double>(p.tile_memory.value));
  const std::vector<double> peak = read.numbers(memory["peak"]), always = read.numbers(memory["always"]);
  std::vector<double> sums(m.tiles.size(), 0);
  for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    CHECK(memory["categories"].items[c].text == name_of(which));
    CHECK(memory["regions"].items[c]["bytes"].number == static_cast<double>(m.total(which)));
    const std::vector<double> bytes = read.numbers(memory["by_tile"].items[c]);
    REQUIRE(bytes.size() == m.tiles.size());
    for (std::size_t t = 0; t < bytes.size(); ++t) {
      CHECK(bytes[t] == static_cast<double>(m.tiles[t][which]));
      sums[t] += bytes[t];
    }
  }
  CHECK(sums == peak);
  for (std::size_t t = 0; t < m.tiles.size(); ++t) CHECK(always[t] == static_cast<double>(report::always_live(m.tiles[t])));
  CHECK(memory["variables"]["name"].items.size() == m.variables.size());
  const std::vector<double> bytes = read.numbers(memory["variables"]["bytes"]);
  for (std::size_t v = 0; v < m.variables.size(); ++v) CHECK(bytes[v] == static_cast<double>(m.variables[v].size));
  const std::vector<double> ends = read.numbers(memory["variables"]["end_step"]);
  for (std::size_t v = 0; v < m.variables.size(); ++v) CHECK(ends[v] == static_cast<double>(m.variables[v].end_step));
  const json::value& live = memory["liveness"]["chips"].items.at(0);
  CHECK(read.numbers(live["live"]).size() == m.live_by_step.size());
  CHECK(live["always_fullest"].number == static_cast<double>(report::always_live(m.tiles[m.fullest])));
  // The table has the same totals
  const json::value& total = read.header["tables"].items.at(0)["rows"].items.back();
  CHECK(total.items[1].text == report::impl::with_commas(m.total()));
  CHECK(total.items[3].text == report::impl::with_commas(m.tiles[m.fullest].total()));
}

TEST_CASE("a profile without tiles has no memory to show") {
  report::page_columns columns;
  report::impl::page_part part{"p", columns};
  part.begin("chips", {}, "");
  report::impl::add_memory<>(part, ipu::profile{});
  CHECK(json::parser{part.json()}.parse().find("memory") == nullptr);
}

}  // namespace memory_part_test
