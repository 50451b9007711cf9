// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/step_messages.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace step_messages_test {

using namespace ipuflow;

TEST_CASE("messages from one chip to another follow each other, all others go at once") {
  const auto time_of = [](bytes size) { return 10 + size.value; };
  const auto sent = [&](std::size_t from, std::size_t to, std::uint64_t size) { return plan::impl::chip_message{from, to, {size}, time_of({size})}; };
  plan::impl::step_messages step(true);
  CHECK(step.longest() == 0);
  step.add(sent(0, 1, 100), time_of);
  step.add(sent(1, 2, 120), time_of);
  CHECK(step.longest() == 130);
  step.add(sent(1, 0, 140), time_of);  // links have two directions
  CHECK(step.longest() == 150);
  step.add(sent(0, 1, 90), time_of);
  CHECK(step.longest() == 200);
  step.clear();
  CHECK(step.longest() == 0);
  plan::impl::step_messages alone(false);  // of chips with one stage each: none meet
  for (const std::size_t chip : {0u, 1u}) alone.add(sent(chip, chip + 1, 100 + chip), time_of);
  CHECK(alone.longest() == 111);
}

}  // namespace step_messages_test
