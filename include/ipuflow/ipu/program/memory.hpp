// SPDX-License-Identifier: BSL-1.0
// The layout of each tile's memory: code first, in its region, then variables that are always live, then the others,
// which share addresses when they are not live together (largest first, lowest free address).
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/ipu/cost/code_size.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

namespace impl {

template <class = void>
struct basic_memory_layout {
  explicit basic_memory_layout(const graph& g) : copies{g} {}

  memory_report report;
  copy_memo copies;
  std::vector<flat_map<std::size_t, std::size_t>> addresses;  // of each variable, by tile
  std::vector<std::size_t> ends;                                        // of what each tile uses

  [[nodiscard]] std::size_t address(std::size_t variable, std::size_t tile) const { return addresses[variable].at(tile); }
};
using memory_layout = basic_memory_layout<>;

/// A variable on one tile, and where it goes.
struct sized_variable {
  std::size_t variable;
  std::size_t size;
  std::size_t address = 0;
};

/// Variables begin at multiples of 64 bits.
[[nodiscard]] constexpr std::size_t aligned(std::size_t size) { return (size + 7) / 8 * 8; }

/// True if two variables are live at the same step; the ranges of each are in order and do not meet.
template <class = void>
[[nodiscard]] inline bool live_together(const std::vector<live_range>& a, const std::vector<live_range>& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->begin < y->end && y->begin < x->end) return true;
    if (x->end <= y->begin)
      ++x;
    else
      ++y;
  }
  return false;
}

/// Gives each an address at which nothing lives that lives with it; returns the end of the last.
template <class = void>
[[nodiscard]] inline std::size_t place(std::vector<sized_variable>& wanted, const program_liveness& live) {
  std::sort(wanted.begin(), wanted.end(), [](const sized_variable& a, const sized_variable& b) {
    return a.size != b.size ? a.size > b.size : a.variable < b.variable;
  });
  std::size_t end = 0;
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    taken.clear();
    for (std::size_t k = 0; k < i; ++k) {
      if (!live_together(live.ranges[wanted[i].variable], live.ranges[wanted[k].variable])) continue;
      taken.emplace_back(wanted[k].address, wanted[k].address + aligned(wanted[k].size));
    }
    std::sort(taken.begin(), taken.end());
    std::size_t at = 0;
    for (const auto& [from, to] : taken) {
      if (from >= at + wanted[i].size) break;
      at = std::max(at, to);
    }
    wanted[i].address = at;
    end = std::max(end, at + wanted[i].size);
  }
  return end;
}

/// The most bytes that are live at any step.
template <class = void>
[[nodiscard]] inline std::size_t peak(const std::vector<sized_variable>& wanted, const program_liveness& live) {
  flat_map<std::size_t, std::int64_t> change;
  for (const sized_variable& p : wanted) {
    for (const live_range& r : live.ranges[p.variable]) {
      change[r.begin] += static_cast<std::int64_t>(p.size);
      change[r.end] -= static_cast<std::int64_t>(p.size);
    }
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [step, by] : change) most = std::max(most, now += by);
  return static_cast<std::size_t>(most);
}

/// Names a variable in the report, once for each chip that has a part of it.
template <class = void>
inline void list_variable(const graph& g, const variable& v, memory_report& report) {
  flat_map<std::size_t, std::uint64_t> by_chip;
  for (const auto& [tile, held] : v.tiles()) by_chip[tile / g.chip().tiles] += held * size_of(v.type());
  for (const auto& [chip, size] : by_chip) report.variables.push_back({v.name(), chip, size, v.always_live()});
}

/// The variables of each tile that are not always live.
using temporaries_of_tiles = std::vector<std::vector<sized_variable>>;

/// Puts what is always live behind the code of its tile, and names all variables that are used; returns the others.
template <class = void>
[[nodiscard]] inline temporaries_of_tiles place_always_live(const graph& g, const program_liveness& live,
                                                            memory_layout& made) {
  temporaries_of_tiles temporaries(g.tiles());
  for (std::size_t v = 0; v < g.variables().size(); ++v) {
    const variable& var = g.variables()[v];
    if (!var.always_live() && live.ranges[v].empty()) continue;  // never used
    list_variable(g, var, made.report);
    for (const auto& [tile, held] : var.tiles()) {
      const std::size_t size = held * size_of(var.type());
      if (!var.always_live()) {
        temporaries[tile].push_back({v, size});
        continue;
      }
      made.addresses[v][tile] = aligned(made.ends[tile]);
      made.ends[tile] = aligned(made.ends[tile]) + size;
      made.report.tiles[tile][memory_category::always_live] += static_cast<std::uint32_t>(size);
    }
  }
  return temporaries;
}

/// Puts the others behind that. Tiles that hold the same variables are placed once: most of a chip's are alike.
template <class = void>
inline void place_temporaries(const program_liveness& live, temporaries_of_tiles temporaries, memory_layout& made) {
  struct placed_alike {
    std::vector<sized_variable> placed;
    std::size_t end = 0;
    std::size_t peak = 0;
  };
  flat_map<std::vector<std::pair<std::size_t, std::size_t>>, placed_alike> known;
  memory_report& report = made.report;
  for (std::size_t t = 0; t < temporaries.size(); ++t) {
    std::vector<std::pair<std::size_t, std::size_t>> key;
    for (const sized_variable& p : temporaries[t]) key.emplace_back(p.variable, p.size);
    auto [found, unseen] = known.try_emplace(std::move(key));
    auto& [placed, end, most] = found->second;
    if (unseen) {
      placed = std::move(temporaries[t]);
      end = place(placed, live);
      most = peak(placed, live);
    }
    const std::size_t base = placed.empty() ? made.ends[t] : aligned(made.ends[t]);
    for (const sized_variable& p : placed) made.addresses[p.variable][t] = base + p.address;
    made.ends[t] = base + end;
    report.tiles[t][memory_category::not_always_live] = static_cast<std::uint32_t>(most);
    report.tiles[t][memory_category::gaps] = static_cast<std::uint32_t>(made.ends[t] - report.tiles[t].total());
    if (made.ends[t] > made.ends[report.fullest]) report.fullest = t;
  }
}

/// Counts the bytes that are live at each step, on all tiles and on the fullest one.
template <class = void>
inline void report_live(const graph& g, const program_liveness& live, memory_report& report) {
  report.live_by_step.assign(live.steps, 0);
  report.fullest_by_step.assign(live.steps, 0);
  for (std::size_t v = 0; v < g.variables().size(); ++v) {
    const variable& var = g.variables()[v];
    const std::size_t here = var.held(report.fullest) * size_of(var.type());
    for (const live_range& r : live.ranges[v]) {
      for (std::size_t s = r.begin; s < r.end; ++s) {
        report.live_by_step[s] += var.size().value;
        report.fullest_by_step[s] += here;
      }
    }
  }
}

/// Places all variables of a program; the report says what the tiles need, whether they have it or not.
template <class = void>
[[nodiscard]] inline memory_layout lay_out(const graph& g, const step& program) {
  memory_layout made(g);
  made.report.tiles.resize(g.tiles());
  made.addresses.resize(g.variables().size());
  code_walk walk(g, made.report);
  walk(program);
  walk.finish();
  made.copies = walk.take_copies();
  for (const tile_memory& tile : made.report.tiles) made.ends.push_back(aligned(tile.total()));
  const program_liveness live = live_ranges(g, program);
  place_temporaries(live, place_always_live(g, live, made), made);
  report_live(g, live, made.report);
  return made;
}

}  // namespace impl

/// The first tile that has not what it needs.
template <class = void>
inline memory_fault verify(const graph& g, const impl::memory_layout& layout) {
  for (std::size_t t = 0; t < g.tiles(); ++t) {
    const tile_memory& needs = layout.report.tiles[t];
    const bool code = needs.code() > g.chip().code_region.value;
    if (!code && needs.total() <= g.chip().tile_memory.value) continue;
    memory_place where{t / g.chip().tiles, t % g.chip().tiles, {}, {}, {}, {}, {}};
    const auto keep_largest = [](auto& names, auto& sizes, auto name, std::size_t size) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (size <= sizes[i]) continue;
        std::swap(size, sizes[i]);
        std::swap(name, names[i]);
      }
    };
    for (std::size_t c = 0; c < memory_categories; ++c) {
      keep_largest(where.categories, where.category_bytes, static_cast<memory_category>(c), needs.by_category[c]);
    }
    for (const variable& v : g.variables())
      keep_largest(where.variables, where.variable_bytes, v.name(), v.held(t) * size_of(v.type()));
    if (code) return {memory_wrong::code_region, needs.code(), g.chip().code_region.value, where};
    return {memory_wrong::out_of_memory, needs.total(), g.chip().tile_memory.value, where};
  }
  return {};
}

/// The same of a program that has not been laid out.
template <class = void>
inline memory_fault verify(const graph& g, const step& program) {
  return verify(g, impl::lay_out(g, program));
}

}  // namespace ipuflow::ipu
