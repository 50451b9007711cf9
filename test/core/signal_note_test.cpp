// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/signal_note.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace signal_note_test {

using namespace ipuflow;

TEST_CASE("a signal is noted once, and what was done on it before is done again afterwards") {
  static int seen = 0;
  auto* const before = std::signal(SIGUSR2, [](int) { ++seen; });
  {
    signal_note note{SIGUSR2};
    CHECK_FALSE(note.take());
    std::raise(SIGUSR2);
    std::raise(SIGUSR2);
    CHECK(note.take());
    CHECK_FALSE(note.take());
    CHECK(seen == 0);
  }
  std::raise(SIGUSR2);
  CHECK(seen == 1);
  {
    signal_note none{0};
    std::raise(SIGUSR2);
    CHECK_FALSE(none.take());
  }
  CHECK(seen == 2);
  std::signal(SIGUSR2, before);
}

TEST_CASE("a signal that no program is told of is said so, and nothing is changed of it") {
  CHECK(signal_note{SIGUSR2}.wrong() == 0);
  CHECK(signal_note{0}.wrong() == 0);
  for (const int signal : {SIGKILL, SIGSTOP, -1, 1000}) {
    signal_note note{signal};
    CHECK(note.wrong() == EINVAL);
    CHECK_FALSE(note.take());
  }
}

TEST_CASE("a process runs until it ends") {
  CHECK(process_runs(::getpid()));
  CHECK(process_runs(1));  // it may belong to somebody else
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(process_runs(child));
}

TEST_CASE("what one note was told and not asked for, the next one does not know") {
  {
    signal_note before{SIGUSR1};
    ::raise(SIGUSR1);
  }
  signal_note note{SIGUSR1};
  CHECK_FALSE(note.take());
  ::raise(SIGUSR1);
  CHECK(note.take());
}

}  // namespace signal_note_test
