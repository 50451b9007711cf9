// SPDX-License-Identifier: BSL-1.0
// A pipeline and a timetable fit if each branch of each stage is on an IPU where the timetable has that stage, and nothing
// else is there. A pair that does not fit would wait for ever for values that no stage makes.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::run {

enum class run_wrong : unsigned char { nothing, refused, stages_differ, not_there, no_branch, out_of_order };

/// The place of a fault: a stage on an IPU.
struct run_place {
  std::size_t stage = 0;
  std::size_t ipu = 0;
  schedule::schedule_fault refused{};  ///< of the timetable itself

  friend constexpr bool operator==(const run_place&, const run_place&) = default;
};

using run_fault = fault<run_wrong, run_place>;

constexpr const char* wording(run_wrong wrong) {
  switch (wrong) {
    case run_wrong::nothing:
    case run_wrong::refused:  // has a sentence of its own
      break;
    case run_wrong::stages_differ:
      return "ipuflow: a timetable of {got} stage{s} is to run a pipeline of {limit}; make the timetable from that pipeline";
    case run_wrong::not_there:
      return "ipuflow: branch {got} of stage {stage} is on IPU {ipu}, where the timetable does not have that stage; make the timetable from this "
             "pipeline, or place it";
    case run_wrong::no_branch:
      return "ipuflow: the timetable has stage {stage} on IPU {ipu}, where the pipeline has no branch of it; make the timetable from this pipeline, "
             "or place it";
    case run_wrong::out_of_order:
      return "ipuflow: stage {stage} on IPU {ipu} does micro-batch {got} out of turn, micro-batch {limit} is next; values pass a stage in their "
             "order, so let its micro-batches ascend";
  }
  return "";
}

constexpr message_text sentence(const run_fault& f) {
  if (f.kind == run_wrong::refused) return sentence(f.where.refused);
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"stage", f.where.stage}, {"ipu", f.where.ipu}});
}

/// The first thing that keeps `pipeline` from being run by `t`.
template <class P, schedule::timetable T>
constexpr run_fault verify(const P& pipeline, const T& t) {
  if (t.refused) return {.kind = run_wrong::refused, .where = {.refused = t.refused}};
  if (t.where.stages != P::stage_count) return {run_wrong::stages_differ, t.where.stages, P::stage_count};
  const std::size_t last = t.where.micro_batches == 0 ? 0 : t.where.micro_batches - 1;
  for (std::size_t stage = 0; stage < P::stage_count; ++stage) {
    const auto here = pipeline.ipus_of(stage);
    for (std::size_t branch = 0; branch < here.size(); ++branch) {
      for (const std::size_t micro_batch : {std::size_t{0}, last}) {  // some layouts change sides half-way
        const bool has = here[branch] < t.where.ipus &&
                         t.where.seat_of(here[branch], stage, micro_batch) != schedule::nowhere;
        if (!has) return {run_wrong::not_there, branch, 0, {stage, here[branch]}};
      }
    }
    for (std::size_t seat = t.where.first_seat(stage); seat < t.where.first_seat(stage + 1); ++seat) {
      bool found = false;
      for (const std::size_t ipu : here) found = found || ipu == t.where.ipu_of(seat, 0);
      if (!found) return {.kind = run_wrong::no_branch, .where = {stage, t.where.ipu_of(seat, 0)}};
    }
  }
  return {};
}

}  // namespace ipuflow::run

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<run::run_fault>;
}
#endif
