// SPDX-License-Identifier: BSL-1.0
// The answers of a work to operations that it was given: the words between an executor and what it runs.
#pragma once

#include <cstddef>

namespace ipuflow::run {

/// The outcome of trying an operation: it is done, it has to wait for others, or nothing will ever come for it again.
enum class attempt : unsigned char { done, wait, over };

/// The outcome of trying several operations.
struct progress {
  std::size_t done = 0;
  attempt next = attempt::done;  ///< of the first one that was not done
};

}  // namespace ipuflow::run
