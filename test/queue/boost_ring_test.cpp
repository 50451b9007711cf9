// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/boost_ring.hpp>

#include <doctest/doctest.h>

#include <string>

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

TEST_CASE("items may be of bool, which a vector keeps as bits") {
  boost_ring<bool> ring{4};
  const auto places = ring.reserve(2);
  places[0] = true;
  ring.commit(2);
  CHECK(ring.peek(2)[0]);
  CHECK(!ring.peek(2)[1]);
}

TEST_CASE("what was reserved stays where it is when more is reserved") {
  boost_ring<std::string> ring{4};
  const auto first = ring.reserve(1);
  first[0] = "first";
  const auto more = ring.reserve(3);
  CHECK(more.size() == 3);
  CHECK(more.data() == first.data());
  more[1] = "second";
  ring.commit(2);
  CHECK(ring.peek(2)[0] == "first");
  CHECK(ring.peek(2)[1] == "second");
}

}  // namespace boost_ring_test
