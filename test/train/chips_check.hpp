// SPDX-License-Identifier: BSL-1.0
// The law of sessions on simulated chips, stated once: the same steps on host threads and on tiles give the same results
// and the same model within rounding, and what was counted beforehand is what the run has taken.
#pragma once

#include "small_network.hpp"

#include <ipuflow/chips.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ipuflow::test {

/// A part of mk2, so that tests are quick.
inline ipu::chip_system small_system(std::size_t chips, std::size_t tiles = 32) {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = tiles;
  return ipu::pod(chip, chips);
}

inline double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double scale = std::fmax(1.0, std::fabs(static_cast<double>(b[i])));
    most = std::fmax(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) / scale);
  }
  return most;
}

inline std::vector<float> floats(std::span<const float> all) { return {all.begin(), all.end()}; }

template <class Data = made_up, class Host, class Tiles>
void check_steps(Host& host, Tiles& tiles, std::size_t steps, double tolerance) {
  REQUIRE(tiles.samples_per_step() == host.samples_per_step());
  for (std::size_t s = 0; s < steps; ++s) {
    const Data data{host.samples_per_step(), 7 + 2 * s};
    const auto& wanted = host(data);
    const auto& got = tiles(data);
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      CHECK(got[c].width == wanted[c].width);
      CHECK(farthest(got[c].values, wanted[c].values) < tolerance);
    }
    CHECK(farthest(tiles.parameters()->values, host.parameters()->values) < tolerance);
    CHECK(farthest(floats(tiles.gradients()), floats(host.gradients())) < tolerance);
    CHECK(farthest(tiles.parameters()->state, host.parameters()->state) < tolerance);
  }
  CHECK(tiles.updates() == host.updates());
  const run::chips_profile counted = tiles.cost();
  CHECK(tiles.profile().chips == counted.chips);
}

/// Any timetable as a table, so that all have one type. Adam with a small epsilon makes steps of full length from
/// gradients that are nothing but rounding, such as those of biases in front of a batch norm.
template <class Data = made_up, class P, class T, class Optimiser = train::adamw>
void check_on_chips(const P& pipeline, const T& timetable, const train::options& o, on::chips chips = {},
                    double tolerance = 2e-5, const Optimiser& optimiser = {.rate = 1e-2f, .epsilon = 1e-3f}) {
  const schedule::table t = schedule::tabulate(timetable);
  chips.checked = true;
  if (chips.system.chip.tiles == 0 || chips.system.chips < t.where.ipus * o.replicas)
    chips.system = small_system(t.where.ipus * o.replicas);
  train::session host{pipeline, t, optimiser, o};
  train::session tiles{pipeline, t, optimiser, o, chips};
  check_steps<Data>(host, tiles, 2, tolerance);
}

}  // namespace ipuflow::test
