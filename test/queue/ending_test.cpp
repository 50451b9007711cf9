// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/ending.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>

namespace ending_test {

using namespace ipuflow::queue;

TEST_CASE("every way to end is a bit of its own, and none is forgotten") {
  ending end;
  CHECK(end.seen() == 0);
  unsigned expected = 0;
  for (const ended how :
       {ended::closed, ended::failed, ended::producer_stopped, ended::consumer_stopped, ended::consumer_failed}) {
    CHECK((expected & how) == 0);
    end.set(how);
    expected = expected | how;
    CHECK(end.seen() == expected);
  }
  CHECK((ending::by_producer | ending::by_consumer) == expected);
}

TEST_CASE("an exception reaches the other side only") {
  ending end;
  end.fail(ended::failed, std::make_exception_ptr(std::runtime_error{"from the producer"}));
  end.rethrow_from_consumer(end.seen());
  CHECK_THROWS_WITH(end.rethrow_from_producer(end.seen()), "from the producer");
  end.rethrow_from_producer(0);  // not seen yet
  end.fail(ended::consumer_failed, std::make_exception_ptr(std::runtime_error{"from the consumer"}));
  CHECK_THROWS_WITH(end.rethrow_from_consumer(end.seen()), "from the consumer");
}

}  // namespace ending_test
