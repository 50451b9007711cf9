// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/topology.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace topology_test {

using namespace ipuflow;

TEST_CASE("the table says who has what") {
  const mpi::world& all = test::all_processes();
  const std::string host{all.host()};
  const std::string text = mpi::topology_text(all, 2, 4);
  if (all.processes() == 1) CHECK(text.ends_with("| 0 | " + host + " | 0 | 0 to 1 | 0 to 3 |\n"));
  if (all.processes() == 2) CHECK(text.ends_with("| 0 | " + host + " | 0 | 0 | 0 to 3 |\n| 1 | " + host + " | 1 | 1 | 0 to 3 |\n"));
  if (all.processes() == 4) CHECK(text.ends_with("| 3 | " + host + " | 3 | 1 | 2 to 3 |\n"));
  if (all.processes() == 4) CHECK(mpi::topology_text(all, 1, 3).find("| 0 | " + host + " | 0 | none | none |") != std::string::npos);
}

}  // namespace topology_test
