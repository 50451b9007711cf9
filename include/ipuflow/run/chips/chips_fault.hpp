// SPDX-License-Identifier: BSL-1.0
// Faults of runs on chips: their options, and what the stages of a timetable hand each other on tiles.
// Types decide some of them, then the compiler says the sentence.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::run {

enum class chips_wrong : unsigned char {
  nothing,
  no_run,
  idle_host,
  two_times,
  far_ahead,
  no_tiles,
  values_differ,
  elements_differ,
  pass_twice,
  recomputed_apart,
  branches_apart,
  io_tiles_all,
  nothing_leaves,
  no_io_tiles,
  no_timetable,
  no_lowering
};

/// Of which stage, and which pass or value there.
struct chips_place {
  std::size_t stage = 0;
  std::size_t index = 0;
  schedule::pass pass = schedule::pass::forward;

  friend constexpr bool operator==(const chips_place&, const chips_place&) = default;
};

using chips_fault = fault<chips_wrong, chips_place>;

template <class = void>
constexpr const char* wording(chips_wrong wrong) {
  switch (wrong) {
    case chips_wrong::nothing:
      break;
    case chips_wrong::no_run:
      return "ipuflow: a timetable is run on chips no times, or with no samples or replicas; give at least {limit} of each";
    case chips_wrong::idle_host:
      return "ipuflow: a run on chips has synthetic data, which no host makes, but a host that takes time for them; leave synthetic out, or "
             "host_time and host_times";
    case chips_wrong::two_times:
      return "ipuflow: the host of a run on chips takes one time for each micro-batch, and {got} that differ; give host_time or host_times";
    case chips_wrong::far_ahead:
      return "ipuflow: the host of a run on chips is to make {got} micro-batches ahead; choose a prefetch of at most {limit}";
    case chips_wrong::no_tiles:
      return "ipuflow: a timetable is run on chips that have no tiles; give a system, as ipu::pod(ipu::mk2, {limit})";
    case chips_wrong::values_differ:
      return "ipuflow: stage {stage} takes {got} value{s} on chips, but the stage before hands on {limit}; lower both from the same pipeline";
    case chips_wrong::elements_differ:
      return "ipuflow: value {index} that stage {stage} takes has {got} element{s} on chips, but the stage before makes {limit}; lower both for the "
             "same samples, in the same type";
    case chips_wrong::pass_twice:
      return "ipuflow: the {pass} of stage {stage} comes twice in step {got}, but its tiles hold one micro-batch at a time; put it into two steps";
    case chips_wrong::recomputed_apart:
      return "ipuflow: the {pass} of micro-batch {got} in stage {stage} comes between the recomputation of micro-batch {limit} and its backward, but its "
             "tiles hold one micro-batch at a time; let the backward come first";
    case chips_wrong::branches_apart:
      return "ipuflow: the branches of stage {stage} run micro-batch {got} in different steps; let concurrent stages run together";
    case chips_wrong::io_tiles_all:
      return "ipuflow: {got} I/O tiles leave no tile of {limit} to compute on; set fewer aside";
    case chips_wrong::nothing_leaves:
      return "ipuflow: phases send their tensors off the chip, but all {got} kind{s} of them are to be kept on tiles; take liveness::always_live, or "
             "leave one kind as it is scheduled";
    case chips_wrong::no_io_tiles:
      return "ipuflow: {got} chip{s} {is|are} to wait for neighbours only, but have no I/O tiles to hand values on by; set io_tiles, or wait for all_chips";
    case chips_wrong::no_timetable:
      return "ipuflow: chips are to run something that is no timetable; give what a generator of schedule returns";
    case chips_wrong::no_lowering:
      return "ipuflow: a run on chips cannot lower its stages with this; give a function of (ipu::graph&, stage, plan::lowering_options) that "
             "returns a plan::lowered";
  }
  return "";
}

constexpr message_text sentence(const chips_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"stage", f.where.stage}, {"index", f.where.index},
                 {"pass", schedule::name_of(f.where.pass)}});
}

}  // namespace ipuflow::run
