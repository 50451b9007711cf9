// SPDX-License-Identifier: BSL-1.0
// Breadth first: chunk after chunk, all micro-batches each, and back with the micro-batches reversed. Weights are
// gathered and gradients reduced once for each stage. Lamy-Poirier, "Breadth-first pipeline parallelism".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto looped_bfs = generator<"looped_bfs">({}, [](const grid& where) {
  auto t = lines_on(where, where.ipus);
  const step_number ipus = number(where.ipus);
  const step_number count = number(where.micro_batches);
  const step_number lap = count > ipus ? count : ipus;
  const step_number turn = 2 * number(where.chunks(0) - 1) * lap + 2 * (count - 1) + 2 * ipus - 1;
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_chunk = lap, .per_group = 1};
  t[pass::backward] = {.runs = who::everyone, .at = turn, .per_stage = -1, .per_chunk = -lap, .per_group = -1};
  return t;
});

}  // namespace ipuflow::schedule
