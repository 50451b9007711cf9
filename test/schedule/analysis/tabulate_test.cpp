// SPDX-License-Identifier: BSL-1.0
// A table holds what a timetable runs, each operation at a step that respects what it reads.
#include "every_schedule.hpp"
#include "reference_orders.hpp"

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>

namespace tabulate_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("written out, every schedule is the same, and its steps are rules that it keeps") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 9}, [](auto, const setup&, const auto& t) {
    table written = tabulate(t);
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      CHECK(reference::order_of(written, ipu) == reference::order_of(t, ipu));
      CHECK(written.count(ipu) == t.count(ipu));
    }
    if (written.goes == pace::freely) written.goes = pace::in_step;
    CHECK_FALSE(verify(written));
  });
}

TEST_CASE("a table whose steps respect what is read keeps them, idle steps included; any other gets new ones") {
  const auto next_step_but_one = [](std::size_t ipu, std::size_t step) -> std::optional<op> {
    if (step == 2 * ipu) return op{pass::forward, ipu, 0};
    return std::nullopt;
  };
  table idle = from_function(grid{2, 2, 1}, 3, next_step_but_one, mode::inference);
  idle.goes = pace::freely;
  CHECK(tabulate(idle).steps() == 3);
  table at_once = idle;
  at_once.rows[1][0].step = 0;
  CHECK(tabulate(at_once).rows[1][0].step == 1);
}

}  // namespace tabulate_test
