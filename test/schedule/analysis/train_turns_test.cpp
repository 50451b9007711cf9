// SPDX-License-Identifier: BSL-1.0
// Starts and ends of trains come in their order.
#include <ipuflow/schedule/analysis/train_turns.hpp>

#include <doctest/doctest.h>

namespace train_turns_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("turns come in order, those that end before those that start, also after all have been changed") {
  train_turns turns;
  std::size_t state = 1;
  for (std::uint32_t i = 0; i < 200; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    turns.add({static_cast<step_number>((state >> 33) % 50), i, (state >> 40) % 2 == 0});
  }
  turns.change([](train_turns::turn& t) { t.at = (t.at * 7) % 50; });
  train_turns::turn last{-1, 0, false};
  std::size_t count = 0;
  for (; !turns.empty(); ++count) {
    const train_turns::turn next = turns.take();
    CHECK_FALSE(next.before(last));
    last = next;
  }
  CHECK(count == 200);
}

}  // namespace train_turns_test
