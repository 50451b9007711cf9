// SPDX-License-Identifier: BSL-1.0
// The laws of processes, of those that tests use; test/mpi/processes_test.cpp has the same over MPI.
#include <ipuflow/train/threads/other_processes.hpp>

#include "process_laws.hpp"
#include "thread_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace other_processes_test {

using namespace ipuflow;

TEST_CASE("threads that stand for processes") {
  for (const std::size_t count : {1u, 2u, 3u}) test::in_processes(count, [](train::other_processes& all) { test::keeps_the_laws(all); });
}

}  // namespace other_processes_test
