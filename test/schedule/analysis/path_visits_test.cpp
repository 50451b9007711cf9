// SPDX-License-Identifier: BSL-1.0
// A path that goes round is seen to, however long its round is.
#include <ipuflow/schedule/analysis/path_visits.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace path_visits_test {

using namespace ipuflow;
using namespace ipuflow::schedule::impl;

namespace {

struct left_out {
  std::size_t at = 0;
};

}  // namespace

TEST_CASE("the last that begins at or before a place, of a part of the list") {
  dynamic_array<left_out> all;
  for (const std::size_t at : {3u, 7u, 20u}) all.push_back({at});
  const auto found = [&](std::size_t begin, std::size_t end, std::size_t place) {
    const left_out* const before = left_out_before(all, begin, end, place);
    return before == nullptr ? 0 : before->at;
  };
  for (std::size_t place = 0; place < 30; ++place) {
    CHECK(found(0, 3, place) == (place < 3 ? 0u : place < 7 ? 3u : place < 20 ? 7u : 20u));
    CHECK(found(1, 2, place) == (place < 7 ? 0u : 7u));
    CHECK(found(2, 2, place) == 0);
  }
}

TEST_CASE("a round of any length is found within a few times its length, and is whole rounds") {
  const left_out skip;
  for (std::size_t length = 1; length < 200; length += length < 20 ? 1 : 13) {
    path_visits visits;
    path_visit before;
    std::size_t ops = 0;
    while (!visits.again({&skip, ops % length, 5, 1000 - ops, ops, 0}, before)) {
      ++ops;
      REQUIRE(ops < 6 * length + 6);
    }
    CHECK((ops - before.ops) % length == 0);
    CHECK(ops > before.ops);
    CHECK(before.at == 1000 - before.ops);
  }
}

TEST_CASE("another operation, or another one of those that are left out, is another place") {
  const left_out one, other;
  path_visits visits;
  path_visit before;
  CHECK_FALSE(visits.again({&one, 1, 2, 50, 0, 0}, before));
  CHECK_FALSE(visits.again({&one, 1, 3, 49, 0, 0}, before));
  CHECK_FALSE(visits.again({&one, 2, 2, 48, 0, 0}, before));
  CHECK(visits.again({&one, 1, 2, 47, 0, 0}, before));
  CHECK(before.at == 50);
  CHECK_FALSE(visits.again({&one, 1, 2, 46, 0, 0}, before));  // it begins anew
  CHECK_FALSE(visits.again({&other, 1, 2, 45, 0, 0}, before));
  CHECK(visits.again({&other, 1, 2, 44, 0, 0}, before));
  CHECK(before.at == 45);
}

}  // namespace path_visits_test
