// SPDX-License-Identifier: BSL-1.0
// The names of things in a graph: steps and layers hold these, and the graph knows the rest.
// Each kind has a type of its own, so that none stands where another is wanted.
#pragma once

#include <cstddef>

namespace ipuflow::ipu {

struct variable_id {
  std::size_t index = 0;
};
struct compute_set_id {
  std::size_t index = 0;
};
struct function_id {
  std::size_t index = 0;
};
struct stream_id {
  std::size_t index = 0;
};
struct remote_id {
  std::size_t index = 0;
};
struct ring_id {
  std::size_t index = 0;
};

}  // namespace ipuflow::ipu
