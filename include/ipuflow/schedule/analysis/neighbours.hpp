// SPDX-License-Identifier: BSL-1.0
// The law of the pipeline, stated once: a forward reads the forward of the stage before, a backward that of the stage
// behind, and all other passes read nothing of another stage. Where a stage has several seats, each of them is read.
#pragma once

#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The stage whose result `o` reads; `nowhere` if it reads none of another stage.
template <whereabouts Where>
[[nodiscard]] constexpr std::size_t read_from(const Where& where, const op& o) {
  if (o.kind == pass::forward) return o.stage == 0 ? nowhere : o.stage - 1;
  return is_backward(o.kind) && o.stage + 1 < where.stages ? o.stage + 1 : nowhere;
}

/// The stage that reads the result of `o`; `nowhere` if no other does.
template <whereabouts Where>
[[nodiscard]] constexpr std::size_t sent_to(const Where& where, const op& o) {
  if (o.kind == pass::forward) return o.stage + 1 < where.stages ? o.stage + 1 : nowhere;
  return is_backward(o.kind) && o.stage > 0 ? o.stage - 1 : nowhere;
}

namespace impl {

/// Calls `visit(seat, ipu)` for every seat of a stage; `nowhere` has none.
template <whereabouts Where, class Visit>
constexpr void for_each_seat(const Where& where, std::size_t stage, std::size_t micro_batch, Visit visit) {
  if (stage == nowhere) return;
  const std::size_t end = where.first_seat(stage + 1);
  for (std::size_t seat = where.first_seat(stage); seat < end; ++seat) visit(seat, where.ipu_of(seat, micro_batch));
}

/// Calls `visit(ipu)` for every IPU but `here` that has the stage: the other end of a message.
template <whereabouts Where, class Visit>
constexpr void for_each_ipu_but(std::size_t here, const Where& where, std::size_t stage, std::size_t micro_batch,
                                Visit visit) {
  for_each_seat(where, stage, micro_batch, [&](std::size_t, std::size_t ipu) {
    if (ipu != here) visit(ipu);
  });
}

}  // namespace impl

}  // namespace ipuflow::schedule
