// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/call.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace call_test {

using namespace ipuflow;

TEST_CASE("a call that fails says which it was and why") {
  (void)test::all_processes();
  mpi::impl::call(MPI_SUCCESS, "MPI_Send");
  try {
    mpi::impl::call(MPI_ERR_TAG, "MPI_Send");
    FAIL("not thrown");
  } catch (const rejected<mpi::mpi_fault>& wrong) {
    CHECK(wrong.found().kind == mpi::mpi_wrong::call);
    CHECK(std::string{wrong.what()}.starts_with("ipuflow: MPI could not do what was asked of it, MPI_Send says "));
    CHECK(wrong.found().where.what.view().find("tag") != std::string_view::npos);
  }
}

TEST_CASE("a communicator returns its errors") {
  mpi::impl::communicator mine;
  mine.copy(test::all_processes().communicator());
  int size = 0;
  CHECK_THROWS_AS(mpi::impl::call(MPI_Isend(&size, 1, MPI_INT, 1000, 0, mine.get(), nullptr), "MPI_Isend"), rejected<mpi::mpi_fault>);
}

TEST_CASE("messages of more than a piece go in pieces, and the empty one in one") {
  CHECK(mpi::impl::pieces_of(0) == 1);
  CHECK(mpi::impl::pieces_of(std::size_t{1} << 30) == 1);
  CHECK(mpi::impl::pieces_of((std::size_t{1} << 31) + 5) == 3);
  CHECK(mpi::impl::pieces_of(10, 4) == 3);
}

}  // namespace call_test
