// SPDX-License-Identifier: BSL-1.0
// One operation of a pipeline: a pass of one stage over one micro-batch. A schedule is nothing but an order of these on
// each IPU; everything else in this module reads or makes such orders.
#pragma once

#include <ipuflow/core/language.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The kinds of work that a stage does with a micro-batch.
enum class pass : unsigned char {
  forward,
  backward,          ///< both gradients at once
  backward_inputs,   ///< the gradient that the stage before waits for
  backward_weights,  ///< the gradient that only this stage's weights wait for
  recompute,         ///< the forward again, from its stashed inputs
  update,            ///< the optimiser, once a stage
  infeed,            ///< from the host, on I/O tiles
  outfeed            ///< to the host, on I/O tiles
};

inline constexpr std::size_t pass_count = 8;

/// The way in which the IPUs of a schedule keep time with each other.
enum class pace : unsigned char {
  freely,   ///< each goes on as soon as what it reads is there
  in_step,  ///< all step together
  in_turn   ///< one operation at a time in the whole system
};

/// Stands for "none" where an index is expected.
inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// The most stages that any part of this module handles.
inline constexpr std::size_t most_stages = 2048;

/// So that operations, steps and bytes of all of them can be counted.
inline constexpr std::size_t most_micro_batches = std::size_t{1} << 40;

/// An operation: one pass of one stage over one micro-batch.
struct op {
  pass kind = pass::forward;    ///< what is done
  std::size_t stage = 0;        ///< from 0
  std::size_t micro_batch = 0;  ///< of this run, from 0

  friend constexpr bool operator==(const op&, const op&) = default;
};

/// An operation in its place: the step at which it runs, and whether it runs together with the next one of its IPU, as
/// a forward overlapped with a backward does.
struct placed : op {
  std::size_t step = 0;    ///< from 0
  bool with_next = false;  ///< it runs together with the next one

  friend constexpr bool operator==(const placed&, const placed&) = default;
};

constexpr bool is_backward(pass kind) { return kind == pass::backward || kind == pass::backward_inputs; }

/// The letter of a pass in pictures and in CSV.
constexpr char letter(pass kind) { return "FBIWRU<>"[static_cast<std::size_t>(kind)]; }

constexpr const char* name_of(pass kind) {
  constexpr const char* names[] = {
      "forward", "backward", "backward for inputs", "backward for weights", "recompute", "update", "infeed", "outfeed"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace ipuflow::schedule
