// SPDX-License-Identifier: BSL-1.0
// Several stages an IPU, so that the ramps are shorter: micro-batches pass the IPUs in groups, once for each chunk of
// stages. Narayanan et al., "Efficient large-scale language model training" (1F1B), Lamy-Poirier, "Breadth-first pipeline
// parallelism" (looped_bfs), Qi et al., "Zero bubble pipeline parallelism" (zb1p).
// Where the IPUs do not divide the micro-batches, the groups are made a little larger instead of leaving a short one at
// the end: a group of at least as many micro-batches as IPUs costs no bubble.
#pragma once

#include <ipuflow/schedule/modular.hpp>
#include <ipuflow/schedule/setup.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace detail {

/// Groups of nearly equal size, larger ones first, and the numbers that place them: `spacing` is the size of a group, or
/// the IPUs where the only group is smaller, `index` counts the forwards of an IPU before the part.
struct grouping {
  modular<> table{};
  step_number spacing[2]{};
  step_number index[2]{};
  step_number widest = 0;
  step_number chunks = 0;
};

constexpr grouping in_groups(const setup& asked) {
  const std::size_t chunks = asked.stages_per_ipu == 0 ? 1 : asked.stages_per_ipu;
  grouping g{.table = {.where = grid_of(asked, chunks), .run_for = asked.run_for, .refused = verify_setup(asked, {})}};
  g.table.span = g.table.where.ipus;
  const std::size_t ipus = g.table.where.ipus;
  const std::size_t rounds = asked.micro_batches < ipus ? 1 : asked.micro_batches / ipus;
  const std::size_t size = asked.micro_batches / rounds;
  const std::size_t larger = asked.micro_batches % rounds * (size + 1);
  g.table.parts[0].hold(0, larger, size + 1);
  g.table.parts[1].hold(larger, asked.micro_batches - larger, size < 1 ? 1 : size);
  if (larger == 0) g.table.parts[0] = g.table.parts[1];
  g.table.part_count = larger == 0 ? 1 : 2;
  g.chunks = static_cast<step_number>(chunks);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const std::size_t group = g.table.parts[i].group;
    g.spacing[i] = static_cast<step_number>(group < ipus ? ipus : group);
    g.index[i] = i == 0 ? 0 : static_cast<step_number>(larger * chunks);
    if (g.spacing[i] > g.widest) g.widest = g.spacing[i];
  }
  return g;
}

}  // namespace detail

constexpr modular<> interleaved_1f1b(const setup& asked) {
  detail::grouping g = detail::in_groups(asked);
  const auto ipus = static_cast<step_number>(g.table.where.ipus);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const step_number every = 2 * g.spacing[i] * g.chunks;
    const step_number turn = 2 * (g.chunks - 1) * (g.widest + g.spacing[i]) + 4 * (ipus - 1) + 1;
    g.table.parts[i][pass::forward] = {who::everyone, 2 * g.index[i], 2, 2 * g.spacing[i], 2, every};
    g.table.parts[i][pass::backward] = {who::everyone, 2 * g.index[i] + turn, -2, -2 * g.spacing[i], 2, every};
  }
  return g.table;
}

/// 1F1B with the backward split: gradients for weights fill the gaps of the ramp-down. With one stage an IPU it is the
/// classic schedule; memory is that of 1F1B on the first IPU, on all of them.
constexpr modular<> zb1p(const setup& asked) {
  detail::grouping g = detail::in_groups(asked);
  const auto ipus = static_cast<step_number>(g.table.where.ipus);
  for (std::size_t i = 0; i < g.table.part_count; ++i) {
    const step_number every = 3 * g.spacing[i] * g.chunks;
    const step_number first = 3 * g.index[i] + 3 * (g.chunks - 1) * (g.widest + g.spacing[i]) + 3 * (ipus - 1) + 1;
    g.table.parts[i][pass::forward] = {who::everyone, 3 * g.index[i], 1, 3 * g.spacing[i], 3, every};
    g.table.parts[i][pass::backward_inputs] = {who::everyone, first, -2, -3 * g.spacing[i], 3, every};
    g.table.parts[i][pass::backward_weights] = {who::everyone, first + 1, 1, -3 * g.spacing[i], 3, every};
  }
  return g.table;
}

/// Chunk after chunk, all micro-batches each, and back with the micro-batches reversed.
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
constexpr modular<> interleaved_1f1b(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(interleaved_1f1b(setup_of(pipeline, Count)), pipeline);
}
template <staged Pipeline, std::size_t Count>
constexpr modular<> zb1p(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(zb1p(setup_of(pipeline, Count)), pipeline);
}
template <staged Pipeline, std::size_t Count>
constexpr modular<> looped_bfs(const Pipeline& pipeline, micro_batches_t<Count>) {
  return on_devices_of(looped_bfs(setup_of(pipeline, Count)), pipeline);
}

}  // namespace ipuflow::schedule
