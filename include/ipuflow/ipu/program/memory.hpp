// SPDX-License-Identifier: BSL-1.0
// The layout of each tile's memory: code first, in its region, then variables that are always live, then the others,
// which share addresses when they are not live together (largest first, lowest free address).
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/ipu/cost/code_size.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>
#include <ipuflow/ipu/program/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// The part of a tile's memory whose variables share addresses: where it begins, and which layout it has.
struct shared_part {
  std::size_t base = 0;
  std::size_t layout = 0;
};

template <class = void>
struct basic_memory_layout {
  explicit basic_memory_layout(const graph& g) : copies{g} {}

  memory_report report;
  copy_memo copies;
  light_vector<flat_map<std::size_t, std::size_t>> always;  // addresses by tile, of each variable that is always live
  light_vector<flat_map<std::size_t, std::size_t>> shared;  // addresses by variable, of the others, for tiles that are alike
  light_vector<shared_part> tiles;
  light_vector<std::size_t> ends;  // of what each tile uses

  /// True if a variable is used there.
  [[nodiscard]] bool has(std::size_t variable, std::size_t tile) const {
    if (variable >= always.size()) return false;
    return always[variable].empty() ? shared[tiles[tile].layout].contains(variable) : always[variable].contains(tile);
  }
  [[nodiscard]] std::size_t address(std::size_t variable, std::size_t tile) const {
    if (!always[variable].empty()) return always[variable].at(tile);
    return tiles[tile].base + shared[tiles[tile].layout].at(variable);
  }
};
using memory_layout = basic_memory_layout<>;

/// Names a variable in the report, once for each chip that has a part of it.
template <class = void>
inline void list_variable(const graph& g, const variable& v, const light_vector<live_range>& ranges, memory_report& report) {
  flat_map<std::size_t, std::uint64_t> by_chip;
  for (const auto& [tile, held] : v.tiles()) by_chip[tile / g.chip().tiles] += held * size_of(v.type());
  for (const auto& [chip, size] : by_chip) {
    variable_memory& made = report.variables.emplace_back(variable_memory{v.name(), chip, size, v.always_live()});
    if (v.always_live()) continue;
    made.first_step = ranges.front().begin;
    for (const live_range& r : ranges) {
      made.first_step = algorithms::min(made.first_step, r.begin);
      made.end_step = algorithms::max(made.end_step, r.end);
      made.live_steps += r.end - r.begin;
    }
  }
}

/// Tells of a tile that is given more, whatever options allow: what is reported would be the rest of it.
template <class = void>
void check_counted(const graph& g, std::size_t tile, std::size_t given) {
  if (given <= most_counted) return;
  const memory_place where{tile / g.chip().tiles, tile % g.chip().tiles, {}, {}, {}, {}, {}};
  throw_if(memory_fault{memory_wrong::uncounted, given, most_counted, where});
}

/// The variables of each tile that are not always live.
using temporaries_of_tiles = light_vector<light_vector<sized_variable>>;

/// Puts what is always live behind the code of its tile, and names all variables that are used; returns the others.
template <class = void>
[[nodiscard]] inline temporaries_of_tiles place_always_live(const graph& g, const program_liveness& live,
                                                            memory_layout& made) {
  temporaries_of_tiles temporaries(g.tiles());
  for (std::size_t v = 0; v < g.variables().size(); ++v) {
    const variable& var = g.variables()[v];
    if (!var.always_live() && live.ranges[v].empty()) continue;  // never used
    list_variable(g, var, live.ranges[v], made.report);
    for (const auto& [tile, held] : var.tiles()) {
      check_counted(g, tile, held);
      const std::size_t size = held * size_of(var.type());
      check_counted(g, tile, made.ends[tile] + size);
      if (!var.always_live()) {
        temporaries[tile].push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(size)});
        continue;
      }
      made.always[v][tile] = aligned(made.ends[tile]);
      made.ends[tile] = aligned(made.ends[tile]) + size;
      made.report.tiles[tile][memory_category::always_live] += static_cast<std::uint32_t>(size);
    }
  }
  return temporaries;
}

/// Puts the others of one chip behind that. Tiles that hold the same variables are placed once: most of a chip's are alike.
template <class = void>
inline void place_temporaries_of_chip(std::size_t chip, const graph& g, const program_liveness& live,
                                      temporaries_of_tiles& temporaries, memory_layout& made) {
  const std::size_t first = chip * g.chip().tiles;
  const std::size_t last = first + g.chip().tiles;
  light_vector<std::size_t> used;  // on any tile of the chip, in order
  {
    light_vector<bool> here(g.variables().size(), false);
    for (std::size_t t = first; t < last; ++t) {
      for (const sized_variable& p : temporaries[t]) here[p.variable] = true;
    }
    for (std::size_t v = 0; v < here.size(); ++v) {
      if (here[v]) used.push_back(v);
    }
  }
  light_vector<std::uint32_t> number(used.empty() ? 0 : used.back() + 1, 0);
  for (std::size_t n = 0; n < used.size(); ++n) number[used[n]] = static_cast<std::uint32_t>(n);
  const lifetimes lives(live, used);
  light_vector<std::size_t> address(used.size());

  struct placed_alike {
    light_vector<sized_variable> wanted;
    std::size_t layout = 0;
    std::size_t end = 0;
    std::size_t peak = 0;
  };
  memo<std::uint64_t, light_vector<placed_alike>> known;  // by a hash of what is wanted
  memory_report& report = made.report;
  for (std::size_t t = first; t < last; ++t) {
    std::uint64_t hash = 0;
    for (sized_variable& p : temporaries[t]) {
      p.variable = number[p.variable];
      hash = mixed_bits(hash ^ std::uint64_t{p.variable} << 32 ^ p.size);
    }
    light_vector<placed_alike>& candidates = known[hash];
    auto like = algorithms::find_if(candidates.begin(), candidates.end(), [&](const placed_alike& c) { return c.wanted == temporaries[t]; });
    if (like == candidates.end()) {
      light_vector<sized_variable> placed = temporaries[t];
      placed_alike fresh{std::move(temporaries[t]), made.shared.size(), place(placed, lives), 0};
      for (const sized_variable& p : placed) address[p.variable] = p.address;
      auto& addresses = made.shared.emplace_back();
      for (const sized_variable& p : fresh.wanted) addresses[used[p.variable]] = address[p.variable];  // in the order of variables
      fresh.peak = lives.peak(placed);
      candidates.push_back(std::move(fresh));
      like = candidates.end() - 1;
    }
    const std::size_t base = like->wanted.empty() ? made.ends[t] : aligned(made.ends[t]);
    check_counted(g, t, base + like->end);
    made.tiles[t] = {base, like->layout};
    made.ends[t] = base + like->end;
    report.tiles[t][memory_category::not_always_live] = static_cast<std::uint32_t>(like->peak);
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
  made.always.resize(g.variables().size());
  made.tiles.resize(g.tiles());
  code_walk walk(g, made.report);
  walk(program);
  walk.finish();
  made.copies = walk.take_copies();
  for (const tile_memory& tile : made.report.tiles) made.ends.push_back(aligned(tile.total()));
  const program_liveness live = live_ranges(g, program);
  temporaries_of_tiles temporaries = place_always_live(g, live, made);
  for (std::size_t chip = 0; chip * g.chip().tiles < g.tiles(); ++chip)
    place_temporaries_of_chip(chip, g, live, temporaries, made);
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
        algorithms::swap(size, sizes[i]);
        algorithms::swap(name, names[i]);
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
