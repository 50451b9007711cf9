// SPDX-License-Identifier: BSL-1.0
// The n-th time that an IPU of a timetable in closed form runs a pass of a stage, as an operation with its micro-batch and step. Numbers
// count whole and split backwards together.
#pragma once

#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// `position` is that among all operations of the IPU.
template <class Where>
[[nodiscard]] constexpr placed nth_op(const modular<Where>& t, std::size_t ipu, pass kind, std::size_t stage, std::size_t n, std::size_t) {
  placed found{op{kind, stage, 0}};
  bool known = false;
  t.for_each_line(ipu, [&](const part& p, const line& l, pass of_line, std::size_t at, std::size_t first) {
    if (known || of_line != kind || at != stage) return;
    const pass_stream s = stream_of(p, l, kind, stage, t.span, first);
    if (n >= s.left) {
      n -= s.left;
      return;
    }
    found.micro_batch = s.what.micro_batch + n * s.next_micro_batch;
    known = true;
  });
  found.step = t.step_of(found);
  return found;
}

/// The micro-batch of the n-th gradient for weights of a chunk: they are counted, or follow its split backwards where they come by age.
[[nodiscard]] constexpr std::size_t nth_weights(const phase_list& phases, std::size_t chunk, std::size_t n) {
  bool by_age = false;
  for (const program_phase& phase : phases) {
    for (const beat& b : phase.beats) by_age = by_age || b.chunk == oldest;
  }
  if (!by_age) return n;
  std::size_t before = 0;  // backwards of the chunk
  for (const program_phase& phase : phases) {
    std::size_t all = 0;
    std::size_t split = 0;
    for (const beat& b : phase.beats) {
      if (b.chunk != chunk || !is_backward(b.kind)) continue;
      ++all;
      if (b.kind == pass::backward_inputs) ++split;
    }
    if (n >= split * phase.times) {
      n -= split * phase.times;
      before += all * phase.times;
      continue;
    }
    before += n / split * all;
    n %= split;
    for (const beat& b : phase.beats) {
      if (b.chunk != chunk || !is_backward(b.kind)) continue;
      if (b.kind == pass::backward_inputs && n-- == 0) return before;
      ++before;
    }
  }
  return nowhere;
}

[[nodiscard]] constexpr placed nth_op(const program& t, std::size_t ipu, pass kind, std::size_t stage, std::size_t n, std::size_t position) {
  std::size_t chunk = 0;
  while (t.where.stage_of(ipu, chunk) != stage) ++chunk;
  const std::size_t first = t.where.direction_of(chunk) * (t.where.micro_batches / t.where.directions());
  const std::size_t micro_batch = kind == pass::backward_weights ? nth_weights(t.phases(t.where, ipu), chunk, n) : n;
  return {op{kind, stage, first + micro_batch}, position, false};
}

}  // namespace ipuflow::schedule::impl
