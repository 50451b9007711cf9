// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/processes.hpp>

#include "all_processes.hpp"
#include "train/process_laws.hpp"

#include <doctest/doctest.h>

namespace processes_test {

using namespace ipuflow;

TEST_CASE("processes over MPI keep the laws of processes") {
  mpi::impl::session_processes all{test::all_processes(), mpi::results::gathered};
  CHECK(all.processes() == test::all_processes().processes());
  CHECK(all.gathers_results());
  CHECK(all.cores() >= 1);
  CHECK_NOTHROW(test::keeps_the_laws(all));
}

TEST_CASE("the fact that differs is told") {
  mpi::world& world = test::all_processes();
  mpi::impl::session_processes all{world, mpi::results::local};
  const bool odd = world.process() == 1;
  const train::agreed_fact facts[] = {{"eyes", "2"}, {"micro_batch", odd ? "16" : "8"}, {"seed", odd ? "1" : "2"}};
  if (world.processes() == 1) return all.agree(facts);
  try {
    all.agree(facts);
    FAIL("not thrown");
  } catch (const rejected<mpi::mpi_fault>& wrong) {
    CHECK(wrong.found().got == 1);
    CHECK(wrong.found().where.what.view() == "micro_batch is 16 instead of 8");
  }
}

}  // namespace processes_test
