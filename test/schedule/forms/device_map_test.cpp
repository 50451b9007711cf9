// SPDX-License-Identifier: BSL-1.0
// A list of devices knows the seats of each stage, concurrent ones included.
#include <ipuflow/schedule/forms/device_map.hpp>

#include <doctest/doctest.h>

namespace device_map_test {

using namespace ipuflow::schedule;

namespace {

constexpr auto where = devices(0, on_ipus(1, 2), 0);
static_assert(where.stages == 3 && where.ipus == 3 && where.seats() == 4);
static_assert(where.first_seat(1) == 1 && where.first_seat(2) == 3 && where.first_seat(3) == 4);
static_assert(where.ipu_of(2, 0) == 2);

}  // namespace

TEST_CASE("seats of stages and stages of IPUs") {
  CHECK(where.seat_of(0, 0, 0) == 0);
  CHECK(where.seat_of(1, 1, 0) == 1);
  CHECK(where.seat_of(2, 1, 0) == 2);
  CHECK(where.seat_of(0, 2, 0) == 3);
  CHECK(where.seat_of(0, 1, 0) == nowhere);
  CHECK(where.chunks(0) == 2);
  CHECK(where.stage_of(0, 1) == 2);
  CHECK(where.chunks(2) == 1);
  CHECK(where.stage_of(2, 1) == nowhere);
}

TEST_CASE("delays are even unless they are listed") {
  auto listed = devices(0, 1, 2, 3, 4);
  CHECK(listed.delay(3) == 3);
  CHECK(listed.member_at(3) == 3);
  for (const std::size_t delay : {0u, 1u, 4u}) listed.delays.push_back(delay);
  CHECK(listed.delay(2) == 4);
  CHECK(listed.member_at(4) == 2);
  CHECK(listed.member_at(2) == nowhere);
}

}  // namespace device_map_test
