// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/call.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <chrono>
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

TEST_CASE("a request that is ended lets a message come that does so in time, and is given up otherwise") {
  mpi::world& all = test::all_processes();
  mpi::impl::communicator mine;
  mine.copy(all.communicator());
  const int me = static_cast<int>(all.process()), sent = 5;
  int first = 0, second = 0;
  MPI_Request receives[2], sends = MPI_REQUEST_NULL;
  mpi::impl::call(MPI_Irecv(&first, 1, MPI_INT, me, 1, mine.get(), &receives[0]), "MPI_Irecv");
  mpi::impl::call(MPI_Irecv(&second, 1, MPI_INT, me, 2, mine.get(), &receives[1]), "MPI_Irecv");
  mpi::impl::call(MPI_Isend(&sent, 1, MPI_INT, me, 1, mine.get(), &sends), "MPI_Isend");
  const auto now = std::chrono::steady_clock::now();
  mpi::impl::end_request(sends, false, now + std::chrono::seconds{60});
  mpi::impl::end_request(receives[0], true, now + std::chrono::seconds{60});
  mpi::impl::end_request(receives[1], true, now);
  CHECK(first == 5);
  CHECK(second == 0);
  for (const MPI_Request r : {sends, receives[0], receives[1]}) CHECK(r == MPI_REQUEST_NULL);
}

TEST_CASE("messages of more than a piece go in pieces, and the empty one in one") {
  CHECK(mpi::impl::pieces_of(0) == 1);
  CHECK(mpi::impl::pieces_of(std::size_t{1} << 30) == 1);
  CHECK(mpi::impl::pieces_of((std::size_t{1} << 31) + 5) == 3);
  CHECK(mpi::impl::pieces_of(10, 4) == 3);
}

}  // namespace call_test
