// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/boost_ring.hpp>

#include <doctest/doctest.h>

#include "oracle.hpp"
#include "ring_laws.hpp"

namespace boost_ring_test {

using namespace ipuflow::queue;

// begin: laws
template <class T>
using ring_of = boost_ring<T>;

TEST_CASE("Boost's queue as a ring does what a deque does, step for step, and leaks nothing") {
  ring_laws::behaves<ring_of>();
}

TEST_CASE("an item that throws is neither lost nor half there in Boost's queue") {
  ring_laws::survives_throwing_items<ring_of>();
}
// end: laws

TEST_CASE("an item may have an operator & of its own") {
  struct item {
    int number = 0;
    void operator&() const = delete;
  };
  boost_ring<item> ring{2};
  CHECK(ring.try_push(item{7}));
  CHECK(ring.peek(1)[0].number == 7);
  item into;
  CHECK(ring.try_pop(into));
  CHECK(into.number == 7);
}

}  // namespace boost_ring_test
