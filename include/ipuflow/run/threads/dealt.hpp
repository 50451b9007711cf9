// SPDX-License-Identifier: BSL-1.0
// Lanes as they are dealt out to threads, and chains of stages on one thread: what dealing.hpp and chains.hpp make and an executor
// follows.
#pragma once

#include <ipuflow/core/light_vector.hpp>

#include <cstddef>

namespace ipuflow::run {

/// The lanes of each thread, in ascending order.
using dealt = light_vector<light_vector<std::size_t>>;

namespace impl {

/// The chains of a pipeline.
struct chains {
  light_vector<std::size_t> last{};  ///< of each stage that begins a chain, its last stage; `nowhere` for one within a chain
  dealt lanes{};                    ///< of each thread, without the IPUs that have only stages within chains
};

}  // namespace impl

}  // namespace ipuflow::run
