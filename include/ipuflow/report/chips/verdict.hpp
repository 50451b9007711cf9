// SPDX-License-Identifier: BSL-1.0
// A verdict on a profile, before its tables: whether it fits and with how much room, then what bounds the time, where, and what
// would help most. Each follows from numbers of the profile by the rules that stand here.
#pragma once

#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/report/chips/memory_summary.hpp>
#include <ipuflow/report/drawing/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ipuflow::report {

namespace impl {

/// "Fits: ..." by the fullest tile.
template <class = void>
[[nodiscard]] inline std::string memory_verdict(const ipu::profile& p) {
  const ipu::memory_report& m = p.memory;
  if (m.tiles.empty() || p.tile_memory.value == 0) return "";
  const ipu::tile_memory& fullest = m.tiles[m.fullest];
  const std::uint64_t used = fullest.total();
  const auto has = static_cast<std::uint64_t>(p.tile_memory.value);
  const std::string tile = tile_name(m.fullest, p.tiles_per_chip);
  if (used <= has) {
    return joined("Fits: the fullest, ", tile, ", has ", percent(has - used, has), " % of its ", with_commas(has), " bytes free.\n");
  }
  std::size_t largest = 0;
  for (std::size_t c = 1; c < ipu::memory_categories; ++c) {
    if (fullest[static_cast<ipu::memory_category>(c)] > fullest[static_cast<ipu::memory_category>(largest)]) largest = c;
  }
  const auto category = static_cast<ipu::memory_category>(largest);
  return joined("Does not fit: ", tile, " lacks ", with_commas(used - has), " of ", with_commas(used), " bytes.\nMost of them are ",
                std::string(name_of(category)), ", ", with_commas(fullest[category]), ".\n");
}

/// Advice against a phase that bounds the time.
[[nodiscard]] constexpr const char* remedy_of(ipu::phase p) {
  switch (p) {
    case ipu::phase::compute:
      return "Numbers of half the size, more tiles or more replicas would help most.";
    case ipu::phase::exchange:
      return "A layout that moves less between tiles, or larger micro-batches, would help most.";
    case ipu::phase::sync:
      return "Fewer and larger steps would help most: larger micro-batches.";
    case ipu::phase::host:
      return "I/O tiles, bytes in place of floats, or fewer results a step would help most.";
    case ipu::phase::inter_chip:
      return "Cuts where less is handed on, or I/O tiles, would help most.";
    case ipu::phase::streaming:
      return "Keeping tensors on tiles, or I/O tiles, would help most.";
  }
  return "";
}

/// The bound of the time: of the IPU that works most, its longest phase, or that even this one waits.
template <class = void>
[[nodiscard]] inline std::string time_verdict(const ipu::profile& p) {
  if (p.chips.empty() || p.total.value == 0) return "";
  const auto own = [&](std::size_t c) { return static_cast<double>((p.total - p.waiting(c)).value); };
  std::size_t busiest = 0;
  double sum = 0;
  for (std::size_t c = 0; c < p.chips.size(); ++c) {
    sum += own(c);
    if (own(c) > own(busiest)) busiest = c;
  }
  const double all = static_cast<double>(p.total.value);
  const double times_mean = sum > 0 ? own(busiest) * static_cast<double>(p.chips.size()) / sum : 1;
  const std::string name = "IPU " + std::to_string(busiest);
  const std::string uneven = times_mean < 1.3 ? "" : joined("It works ", with_digits(times_mean, 1), " times the mean: a cut that gives some of it to others would help most.");
  if (all - own(busiest) > 0.25 * all) {
    return joined("Waiting bounds the time: even ", name, ", which works most, waits ", percent(all - own(busiest), all), " % of it.\n",
                  uneven.empty() ? "More micro-batches between updates, or a schedule with a smaller bubble, would help most." : uneven, "\n");
  }
  std::size_t longest = 0;
  for (std::size_t i = 1; i < p.chips[busiest].by_phase.size(); ++i) {
    if (p.chips[busiest].by_phase[i] > p.chips[busiest].by_phase[longest]) longest = i;
  }
  const auto phase = static_cast<ipu::phase>(longest);
  return joined(name, " bounds the time, with ", percent(static_cast<double>(p.chips[busiest][phase].value), all), " % of it in ",
                std::string(name_of(phase)), ".\n", uneven.empty() || phase != ipu::phase::compute ? remedy_of(phase) : uneven, "\n");
}

}  // namespace impl

/// Two sentences and their reasons.
template <class = void>
[[nodiscard]] inline std::string verdict(const ipu::profile& p) {
  return impl::memory_verdict(p) + impl::time_verdict(p);
}

}  // namespace ipuflow::report
