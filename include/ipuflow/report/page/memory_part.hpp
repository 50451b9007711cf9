// SPDX-License-Identifier: BSL-1.0
// The memory of chips as a part of a page shows it: bytes of each tile by category, variables, and what is live at each step of the
// program, on all tiles and on the fullest one.
#pragma once

#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/report/chips/memory_summary.hpp>
#include <ipuflow/report/chips/memory_svg.hpp>
#include <ipuflow/report/page/part.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

template <class = void>
[[nodiscard]] std::string variables_json(page_columns& columns, const ipu::memory_report& m) {
  using ipu::memory_category;
  json_members of;
  of.put("name", json_list(m.variables, [](const ipu::variable_memory& v) { return json_text(v.name.view()); }));
  const auto add = [&](const char* name, auto value) { of.put(name, columns.add(m.variables.size(), [&](std::size_t i) { return value(m.variables[i]); })); };
  add("category", [](const ipu::variable_memory& v) { return static_cast<std::size_t>(v.always_live ? memory_category::always_live : memory_category::not_always_live); });
  add("chip", [](const ipu::variable_memory& v) { return v.chip; });
  add("bytes", [](const ipu::variable_memory& v) { return v.size; });
  add("always", [](const ipu::variable_memory& v) { return v.always_live ? 1u : 0u; });
  add("first_step", [](const ipu::variable_memory& v) { return v.first_step; });
  add("end_step", [](const ipu::variable_memory& v) { return v.end_step; });
  add("live_steps", [](const ipu::variable_memory& v) { return v.live_steps; });
  return of.text();
}

template <class = void>
[[nodiscard]] std::string liveness_json(page_columns& columns, const ipu::profile& p) {
  const ipu::memory_report& m = p.memory;
  std::uint64_t always = 0;
  for (const ipu::tile_memory& t : m.tiles) always += always_live(t);
  json_members all;
  all.add("name", "all IPUs").put("chip", "null").add("always", always).add("always_fullest", always_live(m.tiles[m.fullest]));
  all.add("fullest_name", tile_name(m.fullest, p.tiles_per_chip)).put("live", columns.add(m.live_by_step)).put("fullest", columns.add(m.fullest_by_step));
  return json_members{}.add("steps", m.live_by_step.size()).put("names", "[]").put("chips", "[" + all.text() + "]").text();
}

/// Tables and pictures of memory, and all numbers that they are made of.
template <class = void>
void add_memory(page_part& part, const ipu::profile& p) {
  const ipu::memory_report& m = p.memory;
  if (m.tiles.empty()) return;
  page_columns& columns = part.columns();
  json_members of;
  of.add("tile_memory", static_cast<std::uint64_t>(p.tile_memory.value)).add("tiles_per_chip", p.tiles_per_chip).add("chips", p.chips.size()).add("fullest_tile", m.fullest);
  std::string categories, by_tile, regions;
  for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    const char* const before = c == 0 ? "[" : ",";
    categories += before + json_text(name_of(which));
    by_tile += before + columns.add(m.tiles.size(), [&](std::size_t t) { return m.tiles[t][which]; });
    regions += before + json_members{}.add("name", name_of(which)).add("bytes", m.total(which)).text();
  }
  of.put("categories", categories + "]").put("by_tile", by_tile + "]").put("regions", regions + "]");
  of.put("always", columns.add(m.tiles.size(), [&](std::size_t t) { return always_live(m.tiles[t]); }));
  of.put("peak", columns.add(m.tiles.size(), [&](std::size_t t) { return m.tiles[t].total(); }));
  of.put("variables", variables_json<>(columns, m)).put("liveness", liveness_json<>(columns, p));
  part.member("memory", of.text());

  const ipu::tile_memory& fullest = m.tiles[m.fullest];
  page_table table{.title = "Bytes of memory by category", .note = "Fullest: " + tile_name(m.fullest, p.tiles_per_chip) + ".", .head = {"", "all tiles", "%", "fullest tile", "%"}};
  const auto row = [&](std::string_view name, std::uint64_t all, std::uint64_t here) {
    table.rows.push_back({std::string(name), with_commas(all), percent(all, m.total()), with_commas(here), percent(here, fullest.total())});
  };
  for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    row(name_of(which), m.total(which), fullest[which]);
  }
  row("total", m.total(), fullest.total());
  part.table(std::move(table));
  part.number("fullest tile", static_cast<double>(fullest.total()), "bytes", "memory");
  part.fact("it is", tile_name(m.fullest, p.tiles_per_chip), "memory");
  if (p.tile_memory.value > 0) {
    part.number("memory of a tile", static_cast<double>(p.tile_memory.value), "bytes", "memory");
    part.fact("fullest tile, % of its memory", percent(std::uint64_t{fullest.total()}, std::uint64_t{p.tile_memory.value}), "memory");
  }
  part.picture(memory_over_steps_svg<>(p), "Memory over the steps of the program");
  part.picture(memory_by_tile_svg<>(p), "Memory of each tile by category");
}

}  // namespace ipuflow::report::impl
