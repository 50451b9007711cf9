// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/mpi/channel.hpp>

#include "all_processes.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

namespace channel_test {

using namespace ipuflow;

namespace {

/// Messages from each process to itself: over places that go round, in pieces of some bytes.
void send_round(std::size_t bytes, std::size_t places, std::size_t piece, std::size_t tag) {
  mpi::world& all = test::all_processes();
  mpi::receiver in{all.communicator(), all.process(), tag, bytes, places, piece};
  mpi::sender out{all.communicator(), all.process(), tag, bytes, places, piece};
  std::size_t gone = 0, came = 0;
  while (came < 50) {
    if (std::byte* const room = gone < 50 ? out.room() : nullptr) {
      for (std::size_t i = 0; i < bytes; ++i) room[i] = static_cast<std::byte>(gone * 3 + i);
      out.send();
      ++gone;
    }
    if (const std::byte* const message = in.message(0)) {
      for (std::size_t i = 0; i < bytes; ++i) REQUIRE(message[i] == static_cast<std::byte>(came * 3 + i));
      in.release();
      ++came;
    }
  }
  CHECK(in.message(places) == nullptr);
}

}  // namespace

TEST_CASE("messages of any size keep their order, whole or in pieces") {
  std::size_t tag = 100;
  for (const std::size_t bytes : {0u, 1u, 1000u, 100000u}) {
    for (const std::size_t places : {1u, 3u}) {
      send_round(bytes, places, mpi::impl::piece_bytes, tag++);
      send_round(bytes, places, 300, tag++);
    }
  }
  test::all_processes().meet();
}

TEST_CASE("messages that have come wait in their places, the oldest first") {
  mpi::world& all = test::all_processes();
  mpi::receiver in{all.communicator(), all.process(), 50, 1, 2};
  {
    mpi::sender out{all.communicator(), all.process(), 50, 1, 2};
    for (int i = 0; i < 2; ++i) {
      *out.room() = static_cast<std::byte>(i);
      out.send();
    }
  }
  while (in.message(1) == nullptr) std::this_thread::yield();
  CHECK(*in.message(0) == std::byte{0});
  CHECK(*in.message(1) == std::byte{1});
  in.release();
  CHECK(*in.message(0) == std::byte{1});
}

}  // namespace channel_test
