// SPDX-License-Identifier: BSL-1.0
// What was logged is what is read, whatever the width of a choice.
#include <ipuflow/schedule/analysis/run_log.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace run_log_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

void choose(run_log& log, std::size_t choice, std::size_t operations = 1, bool two = false) {
  run_log::writer choices{log};
  choices.choose(choice, operations, two);
  choices.finish();
}

}  // namespace

TEST_CASE("choices of rounds and repeats, of few and of many messages") {
  for (const std::size_t messages : {0u, 1u, 3u, 40u}) {
    run_log log;
    log.begin(4, 8, messages);
    CHECK(log.last_choice() > 2 * messages);
    const auto choice = [&](std::size_t i) { return i * 7 % (2 * messages + 1); };
    std::size_t next = 0;
    log.begin_round();
    for (std::size_t i = 0; i < 100; ++i) {
      log.add(log.code_of({0, static_cast<std::uint16_t>(i % 4), 2}, no_code));
      choose(log, choice(next++));
    }
    for (std::size_t round = 0; round < 9; ++round) {
      log.begin_repeat();
      run_log::writer choices{log};
      for (std::size_t i = 0; i < 100; ++i) choices.choose(choice(next++));
      choices.finish();
    }
    REQUIRE(log.sections().size() == 1);
    CHECK(log.sections()[0].events == 100);
    CHECK(log.sections()[0].rounds == 10);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < next; ++i) differ += log.choice(i) == choice(i) ? 0u : 1u;
    CHECK(differ == 0);
    CHECK(log.code(log.sections()[0], 5) == log.code(log.sections()[0], 1));
    CHECK(log.complete());
  }
}

TEST_CASE("rounds that are left out are counted, and stand where they would be") {
  run_log log;
  log.begin(1, 4, 1);
  log.begin_round();
  log.add(log.code_of({0, 0, run_event::no_port}, no_code));
  choose(log, 0);
  log.begin_repeat();
  choose(log, 1);
  log.leave_out(0, 1);
  log.leave_out(50, 2);
  log.begin_repeat();
  choose(log, 0);
  REQUIRE(log.skips().size() == 1);
  CHECK(log.skips()[0].at == 2);
  CHECK(log.skips()[0].logged == 2);
  CHECK(log.sections()[0].rounds == 53);
  CHECK(log.sections()[0].logged == 3);
}

TEST_CASE("operations that have the same choice as another one, or none, take their places") {
  for (const std::size_t messages : {1u, 3u, 7u}) {
    run_log log;
    log.begin(1, 4, messages);
    log.begin_round();
    const auto operations = [](std::size_t i) { return 2 + i % 3; };
    const auto chosen = [](std::size_t i) { return 1 + i % 2; };
    const auto two = [](std::size_t i) { return i % 5 < 2; };
    for (std::size_t i = 0; i < 500; ++i) choose(log, chosen(i), operations(i), two(i));
    std::size_t at = 0;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < 500; ++i) {
      for (std::size_t k = 0; k < operations(i); ++k) differ += log.choice(at++) == (k == 0 || (k == 1 && two(i)) ? chosen(i) : 0) ? 0u : 1u;
    }
    CHECK(differ == 0);
    log.begin_round();
    CHECK(log.sections()[1].choices == at);
  }
}

TEST_CASE("streams: whole and split backwards of a port are one, gradients for weights of an IPU another") {
  run_log log;
  log.begin(16, 8, 1);
  const auto stream = [&](std::uint16_t lane, std::uint16_t cost, std::uint32_t port) { return log.entries()[log.code_of({lane, cost, port}, no_code)].stream; };
  CHECK(stream(0, 1, 5) == stream(0, 2, 5));
  CHECK(stream(0, 1, 5 | run_event::held_bit) == 5);
  CHECK(stream(0, 3, run_event::no_port) >= 8);
  CHECK(stream(0, 3, run_event::no_port) == stream(0, 3, run_event::no_port | run_event::held_bit));
  CHECK(stream(0, 3, run_event::no_port) != stream(1, 3, run_event::no_port));
}

}  // namespace run_log_test
