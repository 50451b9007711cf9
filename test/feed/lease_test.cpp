// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/lease.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace lease_test {

using namespace ipuflow::feed::impl;

namespace {

struct memory final : leased {
  int given_back = 0;
  void give_back() noexcept override { ++given_back; }
};

}  // namespace

TEST_CASE("what is leased goes back once, with the last of its leases") {
  memory m;
  {
    lease first{m};
    lease copy = first;
    first = lease{};
    const lease moved = std::move(copy);
    CHECK(m.given_back == 0);
  }
  CHECK(m.given_back == 1);
  { const lease again{m}; }
  CHECK(m.given_back == 2);
}

}  // namespace lease_test
