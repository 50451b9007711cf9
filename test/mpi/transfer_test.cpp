// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/transfer.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <numeric>

namespace transfer_test {

using namespace ipuflow;

namespace {

void finish(mpi::impl::transfer& t, std::size_t with) {
  while (!t.over()) {
    CHECK(t.awaited() == with);
    (void)t.advance();
  }
}

}  // namespace

TEST_CASE("each process sends itself bytes, in pieces of any size") {
  mpi::world& all = test::all_processes();
  mpi::impl::communicator mine;
  mine.copy(all.communicator());
  mpi::impl::transfer t;
  for (const std::size_t piece : {1u, 7u, 20u, 100u}) {
    std::array<unsigned char, 20> from{}, to{};
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(piece));
    const mpi::impl::outgoing out[] = {{all.process(), from.data(), from.size()}};
    const mpi::impl::incoming in[] = {{all.process(), to.data(), to.size()}};
    t.begin(mine.get(), out, in, piece);
    finish(t, all.process());
    CHECK(from == to);
  }
  t.begin(mine.get(), {}, {}, 1);
  CHECK(t.over());
  all.meet();
}

TEST_CASE("what a transfer that was ended had expected comes to the next one") {
  mpi::world& all = test::all_processes();
  mpi::impl::communicator mine;
  mine.copy(all.communicator());
  const int sent = 7;
  int never = 0, came = 0;
  const mpi::impl::outgoing out[] = {{all.process(), &sent, sizeof sent}};
  const mpi::impl::incoming first[] = {{all.process(), &never, sizeof never}}, second[] = {{all.process(), &came, sizeof came}};
  mpi::impl::transfer t;
  t.begin(mine.get(), {}, first, 100);
  CHECK_FALSE(t.advance());
  t.end();
  CHECK(t.over());
  t.begin(mine.get(), out, second, 100);
  finish(t, all.process());
  CHECK(came == 7);
  CHECK(never == 0);
  all.meet();
}

}  // namespace transfer_test
