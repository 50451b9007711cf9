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

}  // namespace boost_ring_test
