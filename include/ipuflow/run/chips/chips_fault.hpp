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
  no_tiles,
  values_differ,
  elements_differ,
  pass_twice,
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
constexpr message_text sentence(const chips_fault& f) {
  switch (f.kind) {
    case chips_wrong::nothing:
      break;
    case chips_wrong::no_run:
      return words(
          "ipuflow: a timetable is run on chips no times, or with no samples or replicas; give at least ",
          f.limit, " of each");
    case chips_wrong::idle_host:
      return words("ipuflow: a run on chips has synthetic data, which no host makes, but a host that takes time for them; leave ",
                   "synthetic out, or host_time and host_times");
    case chips_wrong::no_tiles:
      return words("ipuflow: a timetable is run on chips that have no tiles; give a system, as ipu::pod(ipu::mk2, ", f.limit, ")");
    case chips_wrong::values_differ:
      return words("ipuflow: stage ", f.where.stage, " takes ", f.got,
                   " values on chips, but the stage before hands on ", f.limit,
                   "; lower both from the same pipeline");
    case chips_wrong::elements_differ:
      return words("ipuflow: value ", f.where.index, " that stage ", f.where.stage, " takes has ", f.got,
                   " elements on chips, but the stage before makes ", f.limit,
                   "; lower both for the same samples, in the same type");
    case chips_wrong::pass_twice:
      return words("ipuflow: the ", schedule::name_of(f.where.pass), " of stage ", f.where.stage,
                   " comes twice in step ", f.got,
                   ", but its tiles hold one micro-batch at a time; put it into two steps");
    case chips_wrong::branches_apart:
      return words("ipuflow: the branches of stage ", f.where.stage, " run micro-batch ", f.got,
                   " in different steps; let concurrent stages run together");
    case chips_wrong::io_tiles_all:
      return words("ipuflow: ", f.got, " I/O tiles leave no tile of ", f.limit, " to compute on; set fewer aside");
    case chips_wrong::nothing_leaves:
      return words("ipuflow: phases send their tensors off the chip, but all ", f.got,
                   " kinds of them are to be kept on tiles; take liveness::always_live, or leave one kind as it is scheduled");
    case chips_wrong::no_io_tiles:
      return words("ipuflow: ", f.got, " chips are to wait for neighbours only, but have no I/O tiles to hand values on by; "
                   "set io_tiles, or wait for all_chips");
    case chips_wrong::no_timetable:
      return words("ipuflow: chips are to run something that is no timetable; give what a generator of schedule returns");
    case chips_wrong::no_lowering:
      return words(
          "ipuflow: a run on chips cannot lower its stages with this; give a function of (ipu::graph&, stage, "
          "plan::lowering_options) that returns a plan::lowered");
  }
  return {};
}

}  // namespace ipuflow::run
