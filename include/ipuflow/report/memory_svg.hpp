// SPDX-License-Identifier: BSL-1.0
// Memory as SVG pictures: over the steps of the program, what is always live with what comes and goes on top of it, on
// all tiles and on the fullest one beside its limit; and tile by tile of each IPU, by category.
#pragma once

#include <ipuflow/ipu/profile.hpp>
#include <ipuflow/report/area_chart.hpp>
#include <ipuflow/report/memory_summary.hpp>
#include <ipuflow/report/numbers.hpp>
#include <ipuflow/schedule/svg_canvas.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ipuflow::report {

using bytes_by_category = std::array<std::uint64_t, ipu::memory_categories>;

inline const char* svg_style_of(ipu::memory_category c) {
  constexpr const char* styles[] = {"vc", "vs", "ec", "cc", "st", "al", "na", "gaps"};
  return styles[static_cast<std::size_t>(c)];
}

inline std::string memory_rules() {
  return ".vc{fill:#7a6aa8}.vs{fill:#a8578c}.ec{fill:#d2a63c}.cc{fill:#c7791f}.st{fill:#8a6a55}.al{fill:#2f6db3}"
         ".na{fill:#3a8f5c}.gaps{fill:#d8d8d2}" +
         area_chart::rules();
}

/// The colours of categories, from the left; those of gaps only if there are gaps.
inline void memory_legend(schedule::svg_canvas& canvas, std::size_t y, bool gaps) {
  std::size_t x = area_chart::left;
  for (std::size_t c = 0; c < ipu::memory_categories - (gaps ? 0 : 1); ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    x = canvas.key(x, y, svg_style_of(which), name_of(which));
  }
}
inline constexpr std::size_t memory_width = area_chart::left + area_chart::width + 72;

/// One panel of `memory_over_steps_svg`.
inline void memory_panel(schedule::svg_canvas& canvas, std::size_t top, const std::string& name,
                         const bytes_by_category& all, const std::vector<std::uint64_t>& live, std::uint64_t limit) {
  std::uint64_t base = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(ipu::memory_category::not_always_live); ++c) base += all[c];
  const auto peak = std::max_element(live.begin(), live.end());
  const std::uint64_t most = base + (live.empty() ? 0 : *peak);
  area_chart chart(canvas, top, 150, live.size(), std::max(limit, most + most / 20));
  std::string headline = name + ": " + with_commas(base) + " bytes are always live";
  if (!live.empty()) {
    headline +=
        ", " + with_commas(most) + " are live in step " + with_commas(static_cast<std::uint64_t>(peak - live.begin()));
  }
  chart.headline(headline);
  std::vector<std::uint64_t> heights = live;
  if (heights.empty()) heights.push_back(0);
  for (std::uint64_t& h : heights) h += base;
  chart.area("na", heights, "not-always-live variables: at most " + with_commas(most - base) + " bytes at once");
  for (std::size_t c = static_cast<std::size_t>(ipu::memory_category::not_always_live); c-- > 0; base -= all[c]) {
    const std::string words =
        std::string(name_of(static_cast<ipu::memory_category>(c))) + ": " + with_commas(all[c]) + " bytes";
    if (all[c] > 0)
      chart.area(svg_style_of(static_cast<ipu::memory_category>(c)), std::vector<std::uint64_t>(heights.size(), base),
                 words);
  }
  if (limit > 0) chart.line(limit, "its memory: " + with_commas(limit) + " bytes");
  chart.bytes_axis();
  chart.places_axis();
}

inline std::string memory_over_steps_svg(const ipu::profile& p) {
  const ipu::memory_report& m = p.memory;
  schedule::svg_canvas canvas(memory_width, 434, memory_rules());
  bytes_by_category all{};
  bytes_by_category fullest{};
  for (std::size_t c = 0; c < ipu::memory_categories && !m.tiles.empty(); ++c) {
    all[c] = m.total(static_cast<ipu::memory_category>(c));
    fullest[c] = m.tiles[m.fullest].by_category[c];
  }
  memory_panel(canvas, 30, "all tiles", all, m.live_by_step, 0);
  memory_panel(canvas, 230, tile_name(m.fullest, p.tiles_per_chip) + ", the fullest", fullest, m.fullest_by_step,
               p.tile_memory.value);
  canvas.label(area_chart::left + area_chart::width / 2, 404, "tick",
               "steps of the program, each once however often it runs");
  memory_legend(canvas, 424, false);
  return canvas.finish();
}

/// A panel for each IPU, a place for each tile.
inline std::string memory_by_tile_svg(const ipu::profile& p) {
  const std::vector<ipu::tile_memory>& tiles = p.memory.tiles;
  const std::size_t per_chip = std::max<std::size_t>(p.tiles_per_chip, 1);
  const std::size_t chips = (tiles.size() + per_chip - 1) / per_chip;
  const std::size_t high = chips > 4 ? 60 : 110;
  constexpr std::size_t between = 42;
  schedule::svg_canvas canvas(memory_width, 40 + chips * (high + between), memory_rules());
  std::uint64_t most = p.tile_memory.value;
  bool gaps = false;
  for (const ipu::tile_memory& t : tiles) {
    most = std::max<std::uint64_t>(most, t.total());
    gaps = gaps || t[ipu::memory_category::gaps] > 0;
  }
  for (std::size_t chip = 0; chip < chips; ++chip) {
    const std::size_t first = chip * per_chip;
    const std::size_t count = std::min(per_chip, tiles.size() - first);
    area_chart chart(canvas, 24 + chip * (high + between), high, count, most);
    std::vector<std::uint64_t> heights(count);
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < count; ++t) sum += heights[t] = tiles[first + t].total();
    const std::size_t fullest =
        static_cast<std::size_t>(std::max_element(heights.begin(), heights.end()) - heights.begin());
    chart.headline("IPU " + std::to_string(chip) + ": " + with_commas(sum) + " bytes, of these " +
                   with_commas(heights[fullest]) + " on tile " + std::to_string(fullest));
    for (std::size_t c = ipu::memory_categories; c-- > 0;) {
      std::uint64_t here = 0;
      for (std::size_t t = 0; t < count; ++t) here += tiles[first + t].by_category[c];
      if (here > 0) {
        chart.area(svg_style_of(static_cast<ipu::memory_category>(c)), heights,
                   std::string(name_of(static_cast<ipu::memory_category>(c))) + ": " + with_commas(here) + " bytes");
      }
      for (std::size_t t = 0; t < count; ++t) heights[t] -= tiles[first + t].by_category[c];
    }
    if (p.tile_memory.value > 0)
      chart.line(p.tile_memory.value, "memory of a tile: " + with_commas(p.tile_memory.value) + " bytes");
    chart.bytes_axis();
    chart.places_axis();
  }
  memory_legend(canvas, 26 + chips * (high + between), gaps);
  return canvas.finish();
}

}  // namespace ipuflow::report
