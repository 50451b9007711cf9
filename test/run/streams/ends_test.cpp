// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/ends.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

namespace ends_test {

using namespace ipuflow::run::impl;

TEST_CASE("a token for each item, and one more that tells of the end if that is wanted, once") {
  int next = 0;
  auto source = [&] { return next < 3 ? std::optional<int>{next++} : std::nullopt; };
  token_source<one<int>, false, decltype(source)> plain{source, {}};
  for (int n = 0; n < 3; ++n) CHECK(plain()->value == n);
  CHECK(!plain.ended());
  CHECK(!plain());
  CHECK(plain.ended());
  CHECK(plain.taken() == 3);

  next = 2;
  token_source<some<int>, true, decltype(source)> telling{source, {}};
  CHECK(!telling()->ends());
  CHECK(telling()->ends());
  CHECK(!telling());
  CHECK(!telling());
  CHECK(telling.taken() == 1);
}

TEST_CASE("a stop ends the source as its own end does") {
  std::stop_source stop;
  auto source = [] { return std::optional<int>{7}; };
  token_source<some<int>, true, decltype(source)> from{source, stop.get_token()};
  CHECK(!from()->ends());
  stop.request_stop();
  CHECK(from()->ends());
  CHECK(!from());
  CHECK(from.taken() == 1);
}

TEST_CASE("each end knows that it threw") {
  auto source = []() -> std::optional<int> { throw std::out_of_range{""}; };
  token_source<one<int>, false, decltype(source)> from{source, {}};
  CHECK_THROWS_AS(from(), std::out_of_range);
  CHECK(from.threw());
  std::vector<int> got;
  auto sink = [&](int n) { n == 2 ? throw std::out_of_range{""} : got.push_back(n); };
  token_sink to{sink};
  to(one<int>{1});
  some<int> several{5};
  several.add(2);
  CHECK(!to.threw());
  CHECK_THROWS_AS(to(std::move(several)), std::out_of_range);
  CHECK(to.threw());
  CHECK(to.given() == 2);
  CHECK(got == std::vector{1, 5});
}

TEST_CASE("ends that want to know of a run are told through the tokens") {
  struct end {
    int opened = 0, closed = 0, abandoned = 0;
    std::optional<int> operator()() { return {}; }
    void operator()(int) {}
    void open() { ++opened; }
    void close() { ++closed; }
    void abandon() { ++abandoned; }
  } user;
  token_source<one<int>, false, end> from{user, {}};
  from.abandon();
  token_sink<end> to{user};
  to.open(), to.close(), to.abandon();
  CHECK(user.opened == 1);
  CHECK(user.closed == 1);
  CHECK(user.abandoned == 2);
}

}  // namespace ends_test
