// SPDX-License-Identifier: BSL-1.0
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <optional>

namespace table_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("a roster knows what the layout knew") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const roster where{t.where};
    for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
      for (std::size_t m = 0; m < t.where.micro_batches; ++m) {
        CHECK(where.ipu_of(stage, m) == t.where.ipu_of(stage, m));
        for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
          CHECK(where.seat_of(ipu, stage, m) == t.where.seat_of(ipu, stage, m));
        }
      }
    }
  });
}

TEST_CASE("a table of nothing, as a refused search has it, takes no time") {
  const table none;
  CHECK(none.where.first_seat(0) == 0);
  CHECK(makespan(none) == 0);
  CHECK(bubble(none) == 0);
  CHECK(fifo_depths(none).empty());
}

TEST_CASE("a schedule of one's own, from a function") {
  const auto mine = [](std::size_t ipu, std::size_t step) -> std::optional<op> {  // both stages in turn, over two IPUs
    const std::size_t m = step / 4, in = step % 4;
    if (in == (ipu == 0 ? 0u : 1u)) return op{pass::forward, ipu, m};
    if (in == (ipu == 0 ? 3u : 2u)) return op{pass::backward, ipu, m};
    return std::nullopt;
  };
  const grid where{2, 2, 3};
  CHECK_FALSE(verify(from_function(where, 12, mine)));
  CHECK(verify(from_function(where, 11, mine)).kind == schedule_wrong::missing_op);
  const auto early = [&](std::size_t ipu, std::size_t step) { return mine(ipu, ipu == 1 ? step + 1 : step); };
  CHECK(verify(from_function(where, 12, early)).kind == schedule_wrong::not_ready);
}

}  // namespace table_test
