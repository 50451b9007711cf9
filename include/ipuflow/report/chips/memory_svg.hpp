// SPDX-License-Identifier: BSL-1.0
// Pictures of memory as SVG: over the steps of the program, always-live variables with the others on top, on all tiles
// and on the fullest one beside its limit; and tile by tile of each IPU, by category.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/report/chips/memory_summary.hpp>
#include <ipuflow/report/drawing/area_chart.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/report_fault.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

namespace impl {

using bytes_by_category = std::array<std::uint64_t, ipu::memory_categories>;

}  // namespace impl

template <class = void>
[[nodiscard]] inline const char* svg_style_of(ipu::memory_category c) {
  constexpr const char* styles[] = {"vc", "vs", "ec", "cc", "st", "al", "na", "gaps"};
  return styles[static_cast<std::size_t>(c)];
}

namespace impl {

template <class = void>
[[nodiscard]] inline std::string memory_rules() {
  return ".vc{fill:#7a6aa8}.vs{fill:#a8578c}.ec{fill:#d2a63c}.cc{fill:#c7791f}.st{fill:#8a6a55}.al{fill:#2f6db3}"
         ".na{fill:#3a8f5c}.gaps{fill:#d8d8d2}" +
         area_chart::rules();
}

/// The colours of categories, from the left; those of gaps only if there are gaps.
template <class = void>
inline void memory_legend(svg_canvas& canvas, std::size_t y, bool gaps) {
  std::size_t x = area_chart::left;
  for (std::size_t c = 0; c < ipu::memory_categories - (gaps ? 0 : 1); ++c) {
    const auto which = static_cast<ipu::memory_category>(c);
    x = canvas.key(x, y, svg_style_of(which), name_of(which));
  }
}
inline constexpr std::size_t memory_width = area_chart::left + area_chart::width + 72;

/// The part of a limit that is used, as a headline says it.
template <class = void>
[[nodiscard]] inline std::string part_of_limit(std::uint64_t used, std::uint64_t limit) {
  return limit == 0 ? "" : joined(", ", percent(used, limit), " % of its ", with_commas(limit));
}

/// Height that a panel reaches: to the limit, unless what is used would then be a thin line at the bottom.
[[nodiscard]] constexpr std::uint64_t reach_of(std::uint64_t most, std::uint64_t limit) {
  return most >= limit / 4 ? algorithms::max(most, limit) : most + most / 20;
}

/// Areas of categories that are always live, beneath each other from `base` down.
template <class = void>
inline void draw_base(area_chart& chart, const bytes_by_category& all, std::uint64_t base, std::size_t places) {
  for (std::size_t c = static_cast<std::size_t>(ipu::memory_category::not_always_live); c-- > 0; base -= all[c]) {
    const auto which = static_cast<ipu::memory_category>(c);
    if (all[c] == 0) continue;
    chart.area(svg_style_of(which), light_vector<std::uint64_t>(places, base),
               std::string(name_of(which)) + ": " + with_commas(all[c]) + " bytes");
  }
}

/// One panel of `memory_over_steps_svg`.
template <class = void>
inline void memory_panel(svg_canvas& canvas, std::size_t top, const std::string& name,
                         const bytes_by_category& all, const light_vector<std::uint64_t>& live, std::uint64_t limit) {
  std::uint64_t base = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(ipu::memory_category::not_always_live); ++c) base += all[c];
  const auto peak = algorithms::max_element(live.begin(), live.end());
  const std::uint64_t most = base + (live.empty() ? 0 : *peak);
  std::string headline = name + ": " + with_commas(base) + " bytes are always live";
  if (!live.empty()) {
    const auto step = static_cast<std::uint64_t>(peak - live.begin());
    headline += joined(", at most ", with_commas(most), " are live in step ", with_commas(step));
  }
  area_chart chart(canvas, top, 150, live.size(), reach_of(most, limit));
  chart.headline(headline + part_of_limit(most, limit));
  light_vector<std::uint64_t> heights = live;
  if (heights.empty()) heights.push_back(0);
  for (std::uint64_t& h : heights) h += base;
  chart.area("na", heights, joined("not-always-live variables: at most ", with_commas(most - base), " bytes at once"));
  draw_base(chart, all, base, heights.size());
  if (limit > 0) chart.line(limit, "its memory");
  chart.bytes_axis();
  chart.places_axis();
}

}  // namespace impl

template <class = void>
[[nodiscard]] inline std::string memory_over_steps_svg(const ipu::profile& p) {
  const ipu::memory_report& m = p.memory;
  svg_canvas canvas(impl::memory_width, 454, impl::memory_rules());
  canvas.label(impl::area_chart::left, 16, "key", "Memory over the steps of the program, in bytes");
  impl::bytes_by_category all{};
  impl::bytes_by_category fullest{};
  for (std::size_t c = 0; c < ipu::memory_categories && !m.tiles.empty(); ++c) {
    all[c] = m.total(static_cast<ipu::memory_category>(c));
    fullest[c] = m.tiles[m.fullest].by_category[c];
  }
  impl::memory_panel(canvas, 50, "all tiles", all, m.live_by_step, 0);
  impl::memory_panel(canvas, 250, impl::tile_name(m.fullest, p.tiles_per_chip) + ", the fullest", fullest, m.fullest_by_step,
               p.tile_memory.value);
  canvas.label(impl::area_chart::left + impl::area_chart::width / 2, 424, "tick",
               "steps of the program, each once however often it runs");
  impl::memory_legend(canvas, 444, false);
  return canvas.finish();
}

namespace impl {

/// One panel of `memory_by_tile_svg`.
template <class = void>
inline void tiles_panel(area_chart& chart, const std::string& name, light_span<const ipu::tile_memory> tiles,
                        std::uint64_t limit) {
  light_vector<std::uint64_t> heights;
  std::uint64_t sum = 0;
  for (const ipu::tile_memory& t : tiles) sum += heights.emplace_back(t.total());
  const auto fullest = algorithms::max_element(heights.begin(), heights.end());
  chart.headline(name + ": " + with_commas(sum) + " bytes; tile " + std::to_string(fullest - heights.begin()) +
                 " has " + with_commas(*fullest) + part_of_limit(*fullest, limit));
  for (std::size_t c = ipu::memory_categories; c-- > 0;) {
    const auto which = static_cast<ipu::memory_category>(c);
    std::uint64_t here = 0;
    for (const ipu::tile_memory& t : tiles) here += t[which];
    if (here > 0) {
      chart.area(svg_style_of(which), heights, std::string(name_of(which)) + ": " + with_commas(here) + " bytes");
    }
    for (std::size_t t = 0; t < tiles.size(); ++t) heights[t] -= tiles[t][which];
  }
  if (limit > 0) chart.line(limit, "memory of a tile");
  chart.bytes_axis();
  chart.places_axis();
}

}  // namespace impl

/// A panel for each IPU, a place for each tile.
template <class = void>
[[nodiscard]] inline std::string memory_by_tile_svg(const ipu::profile& p) {
  const light_span<const ipu::tile_memory> tiles{p.memory.tiles};
  const std::size_t per_chip = algorithms::max<std::size_t>(p.tiles_per_chip, 1);
  const std::size_t chips = (tiles.size() + per_chip - 1) / per_chip;
  const std::size_t high = chips > 4 ? 60 : 110;
  constexpr std::size_t between = 42;
  svg_canvas canvas(impl::memory_width, 60 + chips * (high + between), impl::memory_rules());
  canvas.label(impl::area_chart::left, 16, "key", "Memory of each tile, in bytes; tiles in order from left to right");
  std::uint64_t most = 0;
  bool gaps = false;
  for (const ipu::tile_memory& t : tiles) {
    most = algorithms::max<std::uint64_t>(most, t.total());
    gaps = gaps || t[ipu::memory_category::gaps] > 0;
  }
  for (std::size_t chip = 0; chip < chips; ++chip) {
    const auto here = tiles.subspan(chip * per_chip, algorithms::min(per_chip, tiles.size() - chip * per_chip));
    impl::area_chart chart(canvas, 44 + chip * (high + between), high, here.size(), impl::reach_of(most, p.tile_memory.value));
    impl::tiles_panel(chart, impl::joined("IPU ", std::to_string(chip)), here, p.tile_memory.value);
  }
  impl::memory_legend(canvas, 46 + chips * (high + between), gaps);
  return canvas.finish();
}

template <class Other>
std::string memory_over_steps_svg(const Other&) {
  return impl::refuse<report_wrong::no_memory, Other>(), std::string{};
}
template <class Other>
std::string memory_by_tile_svg(const Other&) {
  return impl::refuse<report_wrong::no_memory, Other>(), std::string{};
}

}  // namespace ipuflow::report
