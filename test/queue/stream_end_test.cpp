// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/stream_end.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>

namespace stream_end_test {

using namespace ipuflow::queue;

TEST_CASE("every way to end is seen by itself, is one side's, and none is forgotten") {
  constexpr how_ended ways[] = {how_ended::closed, how_ended::failed, how_ended::producer_stopped, how_ended::consumer_stopped,
                                how_ended::consumer_failed};
  stream_end all;
  CHECK(all.seen() == endings{});
  CHECK_FALSE(all.seen().any());
  for (const how_ended how : ways) {
    CHECK_FALSE(all.seen().any_of(how));
    all.set(how);
    CHECK(all.seen().any_of(how));
    stream_end one;
    one.set(how);
    CHECK(one.seen().any());
    CHECK(one.seen().by_producer() != one.seen().by_consumer());
    CHECK(one.seen().by_consumer() == (how == how_ended::consumer_stopped || how == how_ended::consumer_failed));
    CHECK(one.seen().at_once() == (how != how_ended::closed && how != how_ended::failed));
    for (const how_ended other : ways) CHECK(one.seen().any_of(other) == (other == how));
  }
}

TEST_CASE("an exception reaches the other side only") {
  stream_end end;
  end.fail(how_ended::failed, std::make_exception_ptr(std::runtime_error{"from the producer"}));
  end.rethrow_from_consumer(end.seen());
  CHECK_THROWS_WITH(end.rethrow_from_producer(end.seen()), "from the producer");
  end.rethrow_from_producer(endings{});  // not seen yet
  end.fail(how_ended::consumer_failed, std::make_exception_ptr(std::runtime_error{"from the consumer"}));
  CHECK_THROWS_WITH(end.rethrow_from_consumer(end.seen()), "from the consumer");
}

}  // namespace stream_end_test
