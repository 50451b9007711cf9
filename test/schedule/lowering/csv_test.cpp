// SPDX-License-Identifier: BSL-1.0
// What is written is read back the same, and re-read it is written the same.
#include "every_schedule.hpp"
#include "reference_orders.hpp"

#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace csv_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(read_csv("0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1"))>());

// Eight rows fill the room of their array, so that a constant would show a read behind the last of them.
static_assert(read_csv("0F0\n1F0\n2F0\n3F0\n4F0\n5F0\n6F0\n7F0").where.ipu_of(7, 0) == 7);

TEST_CASE("there and back, for every schedule") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const table written = tabulate(t);
    const std::string text = to_csv(written);
    const table read = read_csv(text);
    CHECK_FALSE(verify(read));
    CHECK(to_csv(read) == text);
    CHECK(to_csv(tabulate(read)) == text);  // idle cells are kept
    CHECK(read.where.stages == t.where.stages);
    CHECK(read.run_for == t.run_for);
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      CHECK(reference::order_of(read, ipu) == reference::order_of(t, ipu));
    }
    const action_rows lowered = lower(t);
    CHECK(to_csv(read_actions(to_csv(lowered))) == to_csv(lowered));
  });
}

TEST_CASE("the text of small schedules") {
  CHECK(to_csv(tabulate(gpipe({.ipus = 2, .micro_batches = 2}))) == "0F0,0F1,,,0B0,0B1\r\n,1F0,1F1,1B0,1B1,\r\n");
  CHECK(to_csv(tabulate(grouped({.ipus = 2, .micro_batches = 4}))) ==
        "0F0,0F1,0F2,,0B0,0F3,0B1,,0B2,0B3\r\n,1F0,1B0,1F1,1B1,1F2,1B2,1F3,1B3,\r\n");
  const std::string dual = to_csv(tabulate(dualpipev({.ipus = 1, .micro_batches = 2})));
  CHECK(dual == "0F0,1F0,0F1,1B0,(1F1;0B0)OVERLAP_F_B,1B1,0I1,0W1\r\n");
}

TEST_CASE("what the rows say about stages") {
  const roster where = roster_of(read_actions("0F0,3F0\n1F0,2F0"));
  CHECK(where.ipus == 2);
  CHECK(where.stages == 4);
  CHECK(where.ipu_of(3, 0) == 0);
  CHECK(where.ipu_of(2, 0) == 1);
  CHECK_FALSE(where.crossed);
  const table both = read_csv(to_csv(tabulate(chimera({.ipus = 2, .micro_batches = 4}))));
  CHECK(both.where.crossed);
  CHECK(both.where.ipu_of(0, 0) == 0);
  CHECK(both.where.ipu_of(0, 3) == 1);
  CHECK(verify(read_csv("0F0\n0B0")).kind == schedule_wrong::wrong_ipu);
  CHECK_THROWS_AS(static_cast<void>(read_csv("0F0,x")), error);
}

TEST_CASE("without idle cells operations are spread as early as they can run") {
  CHECK(to_csv(tabulate(read_csv("0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1"))) == "0F0,0F1,,0B0,,0B1\r\n,1F0,1B0,1F1,1B1,\r\n");
}

}  // namespace csv_test
