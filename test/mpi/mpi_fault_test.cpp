// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/mpi_fault.hpp>

#include <doctest/doctest.h>

namespace mpi_fault_test {

using namespace ipuflow;
using mpi::mpi_fault;
using mpi::mpi_wrong;

TEST_CASE("each fault of processes has a sentence") {
  const mpi::mpi_place there{fixed_string<60>{std::string_view{"node7"}}, fixed_string<300>{std::string_view{"X"}}};
  CHECK(message(mpi_fault{}).empty());
  CHECK(message(mpi_fault{mpi_wrong::call, 0, 0, there}).view() == "ipuflow: MPI could not do what was asked of it, X; this run cannot go on");
  CHECK(message(mpi_fault{mpi_wrong::one_thread, 1}).view() ==
        "ipuflow: this MPI lets one thread call it, level 1, and sessions need MPI_THREAD_SERIALIZED; build MPI with threads");
  CHECK(message(mpi_fault{mpi_wrong::silent, 3, 500, there}).view() ==
        "ipuflow: process 3 on node7 has not answered within the limit of 500 ms; it was stopped, takes other steps than "
        "this one, or the limit is shorter than a step");
  CHECK(message(mpi_fault{mpi_wrong::ended, 3, 0, there}).view() ==
        "ipuflow: process 3 on node7 has ended, and this one still waits for it; let all take the same steps");
  CHECK(message(mpi_fault{mpi_wrong::failed, 3, 0, there}).view() == "ipuflow: process 3 on node7 has failed, and this one ends with it: X");
  CHECK(message(mpi_fault{mpi_wrong::differs, 3, 0, there}).view() ==
        "ipuflow: process 3 on node7 has begun something else than process 0: X; start the same program with the same options in all");
  CHECK(message(mpi_fault{mpi_wrong::not_plain, 0, 0, there}).view() ==
        "ipuflow: a value of X cannot go to another process; let stages exchange trivially copyable values");
  CHECK(message(mpi_fault{mpi_wrong::branches, 2}).view() ==
        "ipuflow: stage 2 is concurrent, which callables over processes cannot be; make it one stage, or train it");
  CHECK(message(mpi_fault{mpi_wrong::no_job}).view() ==
        "ipuflow: what mpi::run is given is no function of a world that returns what main is to; give [](mpi::world& all) { ... return 0; }");
  CHECK(message(mpi_fault{mpi_wrong::no_run}).view() ==
        "ipuflow: a pipeline over processes is not told what it needs; give over_processes(world, pipeline, timetable, source, sink), with a world that is no constant");
}

}  // namespace mpi_fault_test
