// SPDX-License-Identifier: BSL-1.0
// In every interleaving and with every stale value: a loader that sleeps until two workers have filled their parts.
#include <ipuflow/feed/loading/missing_parts.hpp>

#include <ipuflow/queue/waiting.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "queue/memory_model.hpp"

namespace missing_parts_test {

using ipuflow::feed::impl::basic_missing_parts;
using ipuflow::feed::impl::missing_parts;
using memory_model::atomics;
using memory_model::log;
using memory_model::plain_number;

namespace {

struct step {
  basic_missing_parts<atomics> missing{};
  ipuflow::queue::basic_block<atomics, 1> filled{};
  plain_number first{};
  plain_number second{};

  step() { missing.expect(2); }
};

auto fills(plain_number step::*part, unsigned value) {
  return [=](step& s) {
    (s.*part).set(value);
    if (s.missing.filled_one()) s.filled.wake();
    return log{};
  };
}

auto two_fill_one_step() {
  return memory_model::explorer<step>{[] { return step{}; },
                                      {fills(&step::first, 1), fills(&step::second, 2),
                                       [](step& s) {
                                         s.filled.wait([&] { return s.missing.none(); });
                                         return log{s.first.get(), s.second.get()};
                                       }},
                                      [](const std::vector<log>& results) { return results[2] == log{1, 2}; },
                                      {{0, 0}}};
}

}  // namespace

TEST_CASE("all parts are filled when as many were filled as were expected") {
  missing_parts missing;
  CHECK(missing.none());
  missing.expect(2);
  CHECK_FALSE(missing.none());
  CHECK_FALSE(missing.filled_one());
  CHECK_FALSE(missing.none());
  CHECK(missing.filled_one());
  CHECK(missing.none());
}

TEST_CASE("a loader sleeps until its step is filled, in every execution, and the memory orders are needed") {
  const auto orders = memory_model::weaken_in_turn([] { return memory_model::counted(two_fill_one_step()); });
  const auto& checks = orders.with_all;
  CHECK(checks.hold);
  CHECK(checks.executions > 10);
  CHECK(orders.all == 4);
  CHECK(orders.not_needed == std::vector<std::string>{});
  for (const std::string& text : orders.not_needed) MESSAGE("holds without: ", text);
  MESSAGE("missing_parts: ", checks.executions, " executions, ", checks.states, " states, ", orders.all,
          " memory orders weakened in turn");
}

}  // namespace missing_parts_test
