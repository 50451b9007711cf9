// SPDX-License-Identifier: BSL-1.0
// The rules of the runtime that carries out a schedule from a file in PyTorch (torch.distributed.pipelining,
// `_PipelineScheduleRuntime._load_csv`, 2.6 and later), checked here for every operation: a file that passes is one that it runs.
// The runtime itself checks less, and finds the rest when it is at it.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/lowering/action.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <cstddef>

namespace ipuflow::schedule {

enum class pytorch_wrong : unsigned char { nothing, refused, inference, two_ranks, other_pass, together, losses_out_of_order };

/// The operation that the runtime would refuse, and what is wrong with the timetable itself if anything is.
struct pytorch_place {
  std::size_t rank = nowhere;
  op what{};
  schedule_fault refused{};

  friend constexpr bool operator==(const pytorch_place&, const pytorch_place&) = default;
};

using pytorch_fault = fault<pytorch_wrong, pytorch_place>;

constexpr const char* wording(pytorch_wrong wrong) {
  switch (wrong) {
    case pytorch_wrong::nothing:
    case pytorch_wrong::refused:  // has a sentence of its own
      break;
    case pytorch_wrong::inference:
      return "ipuflow: PyTorch's runtime runs files for training only; make the timetable for training";
    case pytorch_wrong::two_ranks:
      return "ipuflow: PyTorch's runtime has each stage on one rank, but stage {stage} is on {got} and {limit}; take a schedule that runs one way "
             "and has no concurrent stages";
    case pytorch_wrong::other_pass:
      return "ipuflow: PyTorch's runtime has no word for the {kind} of stage {stage}, micro-batch {micro_batch}; make the timetable without "
             "recomputation, infeeds and outfeeds";
    case pytorch_wrong::together:
      return "ipuflow: rank {rank} runs the {kind} of stage {stage}, micro-batch {micro_batch} together with the next operation, which PyTorch's "
             "runtime reads from 2.9 on; say that it is, or take another schedule";
    case pytorch_wrong::losses_out_of_order:
      return "ipuflow: the last stage does the forward of micro-batch {micro_batch} where {limit} is next; PyTorch's runtime numbers losses in the "
             "order of those forwards, so let them ascend";
  }
  return "";
}

constexpr message_text sentence(const pytorch_fault& f) {
  if (f.kind == pytorch_wrong::refused) return sentence(f.where.refused);
  const op& o = f.where.what;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"stage", o.stage}, {"kind", name_of(o.kind)},
                 {"micro_batch", o.micro_batch}, {"rank", f.where.rank}});
}

/// The features of a release of PyTorch.
struct pytorch_release {
  bool reads_pairs = false;  ///< 2.9 and later: operations that run together
};

/// The first thing that the runtime would not take. A timetable that is fine is written by `to_csv(tabulate(t))`.
template <timetable T>
[[nodiscard]] constexpr pytorch_fault verify_for_pytorch(const T& t, pytorch_release release = {}) {
  if (const schedule_fault found = verify(t)) return {.kind = pytorch_wrong::refused, .where = {.refused = found}};
  if (t.run_for != mode::training) return {.kind = pytorch_wrong::inference};
  const std::size_t last_micro_batch = t.where.micro_batches - 1;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    const std::size_t seat = t.where.first_seat(stage);
    const std::size_t rank = t.where.ipu_of(seat, 0);
    const std::size_t other = t.where.first_seat(stage + 1) > seat + 1 ? t.where.ipu_of(seat + 1, 0) : t.where.ipu_of(seat, last_micro_batch);
    if (other != rank) return {pytorch_wrong::two_ranks, rank, other, {.what = {pass::forward, stage, 0}}};
  }
  std::size_t next_loss = 0;
  for (std::size_t rank = 0; rank < t.where.ipus; ++rank) {
    for (auto w = t.walk(rank); w; ++w) {
      const op o{w->kind, w->stage, w->micro_batch};
      if (o.kind == pass::update) continue;  // it is the optimiser's, behind the step
      if (!impl::has_word(o.kind)) return {.kind = pytorch_wrong::other_pass, .where = {rank, o}};
      if (w->with_next && !release.reads_pairs) return {.kind = pytorch_wrong::together, .where = {rank, o}};
      if (o.kind != pass::forward || sent_to(t.where, o) != nowhere) continue;  // only the last has losses
      if (o.micro_batch != next_loss) return {pytorch_wrong::losses_out_of_order, 0, next_loss, {rank, o}};
      ++next_loss;
    }
  }
  return {};
}

}  // namespace ipuflow::schedule
