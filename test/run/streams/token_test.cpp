// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/token.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <vector>

namespace token_test {

using namespace ipuflow::run::impl;

TEST_CASE("some values come out in the order in which they were added, and only they") {
  for (const int count : {0, 1, 2, 9}) {
    some<std::unique_ptr<int>> token;
    for (int n = 0; n < count; ++n) token.add(std::make_unique<int>(n));
    CHECK(!token.ends());
    std::vector<int> got;
    token.take_each([&](std::unique_ptr<int> n) { got.push_back(*n); });
    CHECK(got.size() == static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n) CHECK(got[static_cast<std::size_t>(n)] == n);
  }
}

TEST_CASE("an end is a token without values, or with those that were held back") {
  auto last = some<int>::end();
  CHECK(last.ends());
  last.take_each([](int) { CHECK(false); });
  some<int> with_rest{7};
  with_rest.set_end();
  CHECK(with_rest.ends());
}

}  // namespace token_test
