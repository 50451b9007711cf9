// SPDX-License-Identifier: BSL-1.0
// Stages in a V and the least memory of its family: a third of that of 1F1B. Each IPU repeats a block of six: both
// forwards, both backwards for inputs, and gradients for weights in the cells that are left. Qi et al., "Pipeline
// parallelism with controllable memory".
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/squeeze.hpp>

#include <cstddef>

namespace ipuflow::schedule {

namespace impl {

inline constexpr auto v_min_lines = generator<"v_min">({.stages_per_ipu = 2, .stages = layout::vee}, [](const grid& where) {
  auto t = lines_on(where, where.ipus);
  const step_number ipus = number(where.ipus);
  t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_chunk = ipus, .per_group = 6};
  if (ipus == 2) {  // the cells of two IPUs are taken otherwise without an idle one
    t[pass::backward_inputs] = {.runs = who::everyone, .at = 10, .per_stage = -1, .per_chunk = -4, .per_group = 6};
    t[pass::backward_weights] = {.runs = who::everyone, .at = 13, .per_stage = -3, .per_chunk = -2, .per_group = 6};
    return t;
  }
  const step_number back = 4 * ipus - 1 + (ipus % 3 == 0 ? 2 : 0);
  const step_number weights = back + (ipus % 3 == 2 ? 4 : 2);
  t[pass::backward_inputs] = {.runs = who::everyone, .at = back, .per_stage = -1, .per_chunk = -ipus, .per_group = 6};
  t[pass::backward_weights] = {.runs = who::everyone, .at = weights, .per_stage = -1, .per_chunk = -ipus, .per_group = 6};
  return t;
});

/// The published positions of its block.
constexpr block_cells v_min_block(std::size_t ipus, std::size_t ipu) {
  const std::size_t extra = ipus % 3 == 0 ? 2 : 0;
  return {{ipu, 2 * ipus - ipu - 1, 2 * ipus + extra + ipu, 4 * ipus + extra - ipu - 1}};
}

struct v_min_t : decltype(v_min_lines) {
  static constexpr std::size_t most_written = std::size_t{1} << 20;  ///< operations

  /// Calls `use(timetable)` with the lines, or with squeezed blocks where these are shorter: for few micro-batches, and for any number
  /// where three divides the IPUs, as long as they are written out.
  template <class Use>
  constexpr decltype(auto) by_name(const setup& asked, Use&& use) const {
    const modular<> lines = (*this)(asked);
    const std::size_t ipus = lines.where.ipus;
    const std::size_t count = lines.where.micro_batches;
    const bool few = count <= squeezed_per_ipu * ipus;
    const bool gains = ipus % 3 == 0 && count <= most_written / 6 / ipus;
    if (lines.refused || ipus > most_squeezed || (!few && !gains)) return use(lines);
    const table blocks = squeezed_blocks<>(ipus, count, v_min_block);
    return blocks.steps() > 0 && blocks.steps() < tabulate(lines).steps() ? use(blocks) : use(lines);
  }
};

}  // namespace impl

/// As a call it has lines for all sizes; by its name squeezed blocks, where these are shorter.
inline constexpr impl::v_min_t v_min{impl::v_min_lines};

}  // namespace ipuflow::schedule
