// SPDX-License-Identifier: BSL-1.0
// Breadth first: chunk after chunk, all micro-batches each, and back with the micro-batches reversed. Weights are
// gathered and gradients reduced once for each stage. Lamy-Poirier, "Breadth-first pipeline parallelism".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

constexpr modular<> looped_bfs(const setup& asked) {
  const std::size_t chunks = asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu;
  modular<> t{.where = grid_of(asked, chunks), .run_for = asked.run_for, .refused = verify_setup(asked, {})};
  t.span = t.where.ipus;
  t.parts[0].hold(0, asked.micro_batches, 1);
  const auto ipus = static_cast<step_number>(t.where.ipus);
  const auto count = static_cast<step_number>(asked.micro_batches);
  const step_number lap = count > ipus ? count : ipus;
  const step_number turn = 2 * static_cast<step_number>(chunks - 1) * lap + 2 * (count - 1) + 2 * ipus - 1;
  t.parts[0][pass::forward] = {who::everyone, 0, 1, lap, 0, 1};
  t.parts[0][pass::backward] = {who::everyone, turn, -1, -lap, 0, -1};
  return t;
}

template <staged Pipeline, std::size_t Count>
constexpr modular<> looped_bfs(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(looped_bfs(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
