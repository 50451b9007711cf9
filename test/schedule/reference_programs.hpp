// SPDX-License-Identifier: BSL-1.0
// The vendor's pipelines as its compiler builds them: copies of the list of slots, each late by its offset, laid out as
// ramp-up, rounds and ramp-down, and executed slot by slot. Nothing here knows a formula for a step.
#pragma once

#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <vector>

namespace reference {

using size = std::size_t;

/// What runs, in order: (step, slot, micro-batch).
struct executed {
  size step, slot, micro_batch;
  friend bool operator==(const executed&, const executed&) = default;
};

inline std::vector<executed> run_slots(size slots, const std::vector<size>& offsets, size micro_batches) {
  std::vector<executed> ran;
  const size rounds = micro_batches / offsets.size();
  for (size step = 0; step < slots * (rounds + 1); ++step) {
    const size block = step / slots, in_block = step % slots;
    for (size i = 0; i < offsets.size(); ++i) {
      const bool late = in_block < offsets[i];  // still busy with the block before
      if ((late && block == 0) || (!late && block == rounds)) continue;
      const size slot = late ? in_block + slots - offsets[i] : in_block - offsets[i];
      ran.push_back({step, slot, (late ? block - 1 : block) * offsets.size() + i});
    }
  }
  return ran;
}

/// The operation that a slot is: forward stages, then backward stages in reverse.
inline ipuflow::schedule::op op_of(const executed& e, size stages) {
  using ipuflow::schedule::pass;
  if (e.slot < stages) return {pass::forward, e.slot, e.micro_batch};
  return {pass::backward, 2 * stages - 1 - e.slot, e.micro_batch};
}

}  // namespace reference
