// SPDX-License-Identifier: BSL-1.0
// The number of micro-batches of a run, named beside the pipeline: `schedule::gpipe(mnist, micro_batches<16>)`.
#pragma once

#include <cstddef>

namespace ipuflow {

/// The micro-batches of one run of a pipeline: between two weight updates in training.
template <std::size_t Count>
inline constexpr std::size_t micro_batches = Count;

}  // namespace ipuflow
