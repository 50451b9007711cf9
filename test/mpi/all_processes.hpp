// SPDX-License-Identifier: BSL-1.0
// The world of the tests of this module: each is run by one process, by two and by four, and all do the same.
#pragma once

#include <ipuflow/mpi/world.hpp>

#include <chrono>

namespace ipuflow::test {

inline mpi::world& all_processes() {
  static mpi::world all{{.limit = std::chrono::seconds{60}}};
  return all;
}

}  // namespace ipuflow::test
