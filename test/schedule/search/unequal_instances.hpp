// SPDX-License-Identifier: BSL-1.0
// Instances with unequal stages: a vocabulary's head, an embedding, a slow link, on lines and two stages an IPU; and the idle time of
// what was searched for beside that of the best catalogue schedule within the same memory.
#pragma once

#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::test {

struct unequal_instance {
  std::string_view name{};
  std::size_t ipus = 4;
  std::size_t micro_batches = 16;
  bool vee = false;
  std::size_t head = 100;       ///< percent of the last stage's work, of that of the others
  std::size_t embedding = 100;  ///< the same of the first stage
  std::size_t slow_link = 10;   ///< time of the message in the middle; of others 10
  std::size_t limit = 0;        ///< activations of a stage
};

/// Memory is half as much again as 1F1B or ZB-V hold on a line, a quarter more on two stages an IPU. Times of a stage are 100 forward, 110 for inputs and 90 for weights, apart from what the instance changes.
inline constexpr unequal_instance unequal_instances[] = {
    {.name = "head", .ipus = 4, .head = 150, .limit = 6},
    {.name = "head", .ipus = 8, .micro_batches = 32, .head = 150, .limit = 12},
    {.name = "middle head", .ipus = 6, .micro_batches = 24, .head = 125, .limit = 9},
    {.name = "large head", .ipus = 8, .micro_batches = 32, .head = 220, .limit = 12},
    {.name = "embedding", .ipus = 4, .embedding = 140, .limit = 6},
    {.name = "embedding", .ipus = 8, .micro_batches = 32, .embedding = 140, .limit = 12},
    {.name = "small embedding", .ipus = 4, .embedding = 40, .limit = 6},
    {.name = "small embedding", .ipus = 8, .micro_batches = 32, .embedding = 40, .limit = 12},
    {.name = "slow link", .ipus = 4, .slow_link = 120, .limit = 6},
    {.name = "slow link", .ipus = 8, .micro_batches = 32, .slow_link = 120, .limit = 12},
    {.name = "head and embedding", .ipus = 4, .head = 150, .embedding = 60, .limit = 6},
    {.name = "head and embedding", .ipus = 8, .micro_batches = 32, .head = 150, .embedding = 60, .limit = 12},
    {.name = "head and slow link", .ipus = 4, .head = 150, .slow_link = 120, .limit = 6},
    {.name = "head and slow link", .ipus = 8, .micro_batches = 32, .head = 150, .slow_link = 120, .limit = 12},
    {.name = "head", .ipus = 4, .vee = true, .head = 170, .limit = 10},
    {.name = "head", .ipus = 8, .micro_batches = 24, .vee = true, .head = 170, .limit = 20},
    {.name = "embedding", .ipus = 4, .vee = true, .embedding = 60, .limit = 10},
    {.name = "slow link", .ipus = 4, .vee = true, .slow_link = 80, .limit = 10},
    {.name = "head and embedding", .ipus = 4, .vee = true, .head = 170, .embedding = 60, .limit = 10},
    {.name = "head and slow link", .ipus = 8, .micro_batches = 24, .vee = true, .head = 170, .slow_link = 80, .limit = 20},
};

struct unequal_costs {
  const unequal_instance& from;
  std::size_t stages;

  [[nodiscard]] std::size_t of(schedule::pass kind, std::size_t stage) const {
    using schedule::pass;
    const std::size_t percent = stage + 1 == stages ? from.head : stage == 0 ? from.embedding : 100;
    switch (kind) {
      case pass::forward:
        return percent;
      case pass::backward_inputs:
        return 110 * percent / 100;
      case pass::backward_weights:
        return 90 * percent / 100;
      case pass::backward:
        return of(pass::backward_inputs, stage) + of(pass::backward_weights, stage);
      default:
        return 0;
    }
  }
  [[nodiscard]] std::size_t communication_of(std::size_t stage) const { return stage + 1 == stages / 2 || stage == stages / 2 ? from.slow_link : 10; }
};

struct idle_times {
  std::size_t catalogue = 0;  ///< of the best within the memory: its span, less the work of the busiest IPU
  std::size_t searched = 0;   ///< the same of what was searched for
  std::size_t least = 0;      ///< of any schedule: that of the lower bound
  std::string_view name{};    ///< of the best of the catalogue
};

template <class Stop>
idle_times idle_of(const unequal_instance& from, const schedule::search_options& options, Stop stop) {
  const std::size_t stages = from.vee ? 2 * from.ipus : from.ipus;
  const schedule::grid where{from.ipus, stages, from.micro_batches, from.vee ? schedule::layout::vee : schedule::layout::loop};
  const unequal_costs costs{from, stages};
  const dynamic_array<schedule::activation_bytes> bytes(1, {1, 0, -1});
  idle_times found{.catalogue = static_cast<std::size_t>(-1)};
  for (const auto& point : schedule::catalogue_points(where, costs, bytes, schedule::search_metric::span)) {
    if (point.peak_bytes > from.limit || !point.placed_alike || point.time >= found.catalogue) continue;
    found.catalogue = point.time;
    found.name = point.name;
  }
  const auto best = schedule::search(where, costs, {{1, 0, -1}, from.limit}, options, stop);
  std::size_t busiest = 0;
  for (std::size_t ipu = 0; ipu < from.ipus; ++ipu) {
    std::size_t work = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
      if (where.ipu_of(stage, 0) == ipu) work += from.micro_batches * (costs.of(schedule::pass::forward, stage) + costs.of(schedule::pass::backward, stage));
    }
    busiest = work > busiest ? work : busiest;
  }
  found.catalogue -= busiest;
  found.searched = best.span - busiest;
  found.least = best.lower_bound - busiest;
  return found;
}

}  // namespace ipuflow::test
