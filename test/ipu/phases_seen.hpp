// SPDX-License-Identifier: BSL-1.0
// Phases of a profile's labelled steps, as a plain sum over all turns: what the chips' own counts have to be.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/profile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

using chip_phases = std::array<ipuflow::cycles, ipuflow::ipu::impl::phase_count>;

inline void add_phases(const ipuflow::ipu::profile& p, const ipuflow::light_vector<ipuflow::ipu::activity>& all, std::uint64_t times, ipuflow::light_vector<chip_phases>& into) {
  for (const ipuflow::ipu::activity& a : all) {
    for (const ipuflow::ipu::phase_run& r : p.phases[a.phases]) into[r.chip][static_cast<std::size_t>(r.what)] += r.length * (times * a.turns);
    add_phases(p, a.inside, times * a.turns, into);
  }
}

inline ipuflow::light_vector<chip_phases> phases_seen(const ipuflow::ipu::profile& p) {
  ipuflow::light_vector<chip_phases> all(p.chips.size());
  add_phases(p, p.activities, 1, all);
  return all;
}

inline ipuflow::light_vector<chip_phases> phases_counted(const ipuflow::ipu::profile& p) {
  ipuflow::light_vector<chip_phases> all;
  for (const ipuflow::ipu::chip_profile& c : p.chips) all.push_back(c.by_phase);
  return all;
}

/// Whether the phases of a chip follow each other within the step that they belong to.
inline bool phases_in_their_place(const ipuflow::ipu::profile& p, const ipuflow::light_vector<ipuflow::ipu::activity>& all) {
  for (const ipuflow::ipu::activity& a : all) {
    ipuflow::light_vector<ipuflow::cycles> end(p.chips.size());
    for (const ipuflow::ipu::phase_run& r : p.phases[a.phases]) {
      if (r.begin < end[r.chip] || r.length.value == 0) return false;
      end[r.chip] = r.begin + r.length;
      if (a.label != ipuflow::ipu::no_label && end[r.chip] > a.length) return false;  // turns of chips by their own clocks may overlap
    }
    if (!phases_in_their_place(p, a.inside)) return false;
  }
  return true;
}
