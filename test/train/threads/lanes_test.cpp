// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/lanes.hpp>

#include <doctest/doctest.h>

namespace lanes_test {

using namespace ipuflow::train;

static_assert(process_of_lane(2, 8, 4) == 1);
static_assert(lanes_of(8, 3, 4).first == 6 && lanes_of(8, 3, 4).end == 8);
static_assert(lanes_of(7, 1, 3).first == 2 && lanes_of(7, 1, 3).end == 4);

TEST_CASE("each lane has one process, neighbours go together, and no process has two lanes more than another") {
  for (std::size_t lanes = 1; lanes <= 40; ++lanes) {
    for (std::size_t processes = 1; processes <= 45; ++processes) {  // some have none where there are more of them
      std::size_t next = 0;
      for (std::size_t p = 0; p < processes; ++p) {
        const lane_range mine = lanes_of(lanes, p, processes);
        CHECK(mine.first == next);
        CHECK(mine.end - mine.first >= lanes / processes);
        CHECK(mine.end - mine.first <= (lanes + processes - 1) / processes);
        for (std::size_t lane = mine.first; lane < mine.end; ++lane) CHECK(process_of_lane(lane, lanes, processes) == p);
        next = mine.end;
      }
      CHECK(next == lanes);
    }
  }
}

}  // namespace lanes_test
