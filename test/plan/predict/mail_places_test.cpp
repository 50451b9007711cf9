// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/mail_places.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace mail_places_test {

using namespace ipuflow;
using plan::impl::mail_places;

TEST_CASE("a value that is sent to an empty place is there after its message, whenever it is taken") {
  mail_places way;
  CHECK(way.free_to_leave() == 0);
  way.send(0, 10, 5);
  CHECK(way.free_to_leave() == 15);
  CHECK(way.fetch(0) == 15);
  way.take(40);
  way.send(1, 50, 5);
  CHECK(way.fetch(1) == 55);
}

TEST_CASE("the next value comes to where it is taken from when the one before has been taken") {
  mail_places way;
  way.send(0, 10, 5);
  CHECK(way.fetch(0) == 15);
  way.take(100);
  way.send(1, 12, 5);
  CHECK(way.free_to_leave() == 20);  // behind the first message
  CHECK(way.fetch(1) == 100);
  way.take(130);
  way.send(2, 30, 5);  // arrives only when the value before it has moved on
  CHECK(way.free_to_leave() == 105);
  CHECK(way.fetch(2) == 130);
}

TEST_CASE("values that wait longer stand in a ring, and come in any order") {
  mail_places way;
  for (std::size_t value = 0; value < 4; ++value) way.send(value, 10 * value, 7);
  CHECK(way.free_to_leave() == 37);  // none waits for another one
  for (const std::size_t value : {2u, 0u, 3u, 1u}) {
    CHECK(way.fetch(value) == (value == 2 ? 27 : 200));
    way.take(200);
  }
}

TEST_CASE("a slot of the ring is filled again when what was in it has been fetched") {
  mail_places way;
  way.send(0, 0, 1);
  way.send(1, 0, 1);
  CHECK(way.fetch(0) == 1);
  way.take(500);
  CHECK(way.fetch(1) == 500);
  way.take(600);
  way.send(2, 3, 1);
  way.send(3, 3, 1);  // the second goes by the slot that was free at first, or free again when the first was fetched
  CHECK(way.fetch(2) == 600);
  way.take(700);
  CHECK(way.fetch(3) == 700);
}

TEST_CASE("from one place to the next it takes its time, and each place is free when what was in it is in the next") {
  mail_places way{8};
  way.send(0, 10, 5);
  CHECK(way.free_to_leave() == 15);
  CHECK(way.fetch(0) == 15 + 8);
  way.take(30);
  way.send(1, 12, 5);
  CHECK(way.free_to_leave() == 23 + 5);  // it arrives behind the first, which was there until 23
  way.send(2, 13, 5);  // the second goes into the ring
  CHECK(way.free_to_leave() == 28 + 8 + 5);
  CHECK(way.fetch(1) == 28 + 8 + 8);
  way.take(90);
  CHECK(way.fetch(2) == 98);
}

}  // namespace mail_places_test
