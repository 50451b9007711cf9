// SPDX-License-Identifier: BSL-1.0
// What a world does while nothing fails; failures are those of test/mpi/failures.sh.
#include <ipuflow/mpi/world.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

bool broken = false;  // the network, for the calls below
int ended = 0;        // how often all processes were

}  // namespace

// The profiling interface of MPI: a program may put calls of its own before those of the library.
extern "C" int MPI_Isend(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* made) {
  return broken ? MPI_ERR_OTHER : PMPI_Isend(from, count, type, to, tag, comm, made);
}
extern "C" int MPI_Test(MPI_Request* of, int* over, MPI_Status* status) { return broken ? MPI_ERR_OTHER : PMPI_Test(of, over, status); }
extern "C" int MPI_Abort(MPI_Comm comm, int code) { return broken ? (++ended, MPI_SUCCESS) : PMPI_Abort(comm, code); }

namespace world_test {

using namespace ipuflow;

TEST_CASE("processes know who they are") {
  mpi::world& all = test::all_processes();
  CHECK(all.process() < all.processes());
  CHECK(all.local_processes() == all.processes());  // of a test
  CHECK(all.local_process() == all.process());
  CHECK_FALSE(all.host().empty());
  for (std::size_t p = 0; p < all.processes(); ++p) CHECK(all.host_of(p) == all.host());
}

TEST_CASE("processes divide the cores that they may use: together no more than there are, unless each has but one") {
  mpi::world& all = test::all_processes();
  CHECK(all.cores() >= 1);
  CHECK(all.cores() <= posix::cores());
  CHECK(all.sum(all.cores()) <= algorithms::max<std::size_t>(all.processes(), static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN))));
}

TEST_CASE("a sum and a share of all") {
  mpi::world& all = test::all_processes();
  const std::size_t count = all.processes();
  CHECK(all.sum(all.process() + 1) == count * (count + 1) / 2);
  std::vector<std::size_t> squares(count);
  squares[all.process()] = all.process() * all.process();
  all.share(std::span{squares});
  for (std::size_t p = 0; p < count; ++p) CHECK(squares[p] == p * p);
  all.meet();
}

TEST_CASE("a transfer in pieces is one as a whole") {
  mpi::world& all = test::all_processes();
  const std::size_t count = all.processes(), bytes = 1000;
  for (const std::size_t piece : {7u, 999u, 1000u, 5000u}) {
    std::vector<std::vector<unsigned char>> to(count), from(count);
    std::vector<mpi::impl::outgoing> out;
    std::vector<mpi::impl::incoming> in;
    for (std::size_t p = 0; p < count; ++p) {
      if (p == all.process()) continue;
      for (std::size_t i = 0; i < bytes; ++i) to[p].push_back(static_cast<unsigned char>(i * 7 + all.process() * 31 + p));
      from[p].resize(bytes);
      out.push_back({p, to[p].data(), bytes});
      in.push_back({p, from[p].data(), bytes});
    }
    all.transfer(out, in, piece);
    for (std::size_t p = 0; p < count; ++p) {
      for (std::size_t i = 0; i < from[p].size(); ++i) REQUIRE(from[p][i] == static_cast<unsigned char>(i * 7 + p * 31 + all.process()));
    }
  }
}

TEST_CASE("a process that fails ends all, also when MPI fails as well") {
  mpi::world all;
  all.meet();
  try {
    throw std::runtime_error{"it rained (a test of what a failed process says)"};
  } catch (...) {
    broken = true;
    try {
      all.end_all();
    } catch (...) {
      FAIL("another exception hides why");
    }
    broken = false;
  }
  CHECK(ended == (all.processes() > 1 ? 1 : 0));
}

/// The last of this file: what others have sent to a process that has failed is never received.
TEST_CASE("a world in which a process has failed carries nothing more, whatever has come by then") {
  mpi::world all;
  if (all.processes() == 1) return;
  if (all.process() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds{200});  // time for what others send below
    try {
      throw std::runtime_error{"it rained"};
    } catch (...) {
      all.failed();
    }
  }
  CHECK_THROWS_AS((void)all.sum(1), mpi::peer_failed);
}

}  // namespace world_test
