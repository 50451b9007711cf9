// SPDX-License-Identifier: BSL-1.0
// The number of micro-batches of a run, given beside the pipeline: `schedule::gpipe(mnist, micro_batches<16>)`.
// It is part of a type, so that a timetable can be a constant.
#pragma once

#include <cstddef>

namespace ipuflow {

template <std::size_t Count>
struct micro_batches_t {
  static constexpr std::size_t count = Count;
  constexpr operator std::size_t() const { return Count; }
};

/// The micro-batches of one run of a pipeline: between two weight updates in training.
template <std::size_t Count>
inline constexpr micro_batches_t<Count> micro_batches{};

}  // namespace ipuflow
