// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/stream_end.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>

namespace stream_end_test {

using namespace ipuflow::queue;

TEST_CASE("every way to end is a bit of its own, and none is forgotten") {
  stream_end end;
  CHECK(end.seen() == 0);
  unsigned expected = 0;
  for (const how_ended how :
       {how_ended::closed, how_ended::failed, how_ended::producer_stopped, how_ended::consumer_stopped, how_ended::consumer_failed}) {
    CHECK((expected & how) == 0);
    end.set(how);
    expected = expected | how;
    CHECK(end.seen() == expected);
  }
  CHECK((stream_end::by_producer | stream_end::by_consumer) == expected);
}

TEST_CASE("an exception reaches the other side only") {
  stream_end end;
  end.fail(how_ended::failed, std::make_exception_ptr(std::runtime_error{"from the producer"}));
  end.rethrow_from_consumer(end.seen());
  CHECK_THROWS_WITH(end.rethrow_from_producer(end.seen()), "from the producer");
  end.rethrow_from_producer(0);  // not seen yet
  end.fail(how_ended::consumer_failed, std::make_exception_ptr(std::runtime_error{"from the consumer"}));
  CHECK_THROWS_WITH(end.rethrow_from_consumer(end.seen()), "from the consumer");
}

}  // namespace stream_end_test
