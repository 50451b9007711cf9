// SPDX-License-Identifier: BSL-1.0
// A chain in pieces reads like the list of all its operations.
#include <ipuflow/schedule/analysis/repeating_path.hpp>

#include <doctest/doctest.h>

namespace repeating_path_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

namespace {

constexpr timed_op forward(std::size_t micro_batch, std::size_t start) {
  return {{op{pass::forward, 0, micro_batch}, 2 * micro_batch, false}, 0, {start, start + 3}};
}

constexpr repeating_path three_pieces() {
  repeating_path path;
  path_piece head, body, empty, tail;
  head.ops.push_back({forward(0, 0)});
  body.ops.push_back({forward(1, 3), 2, 4});
  body.ops.push_back({forward(2, 6), 2, 4});
  body.times = 1000;
  body.every = 6;
  tail.ops.push_back({forward(2001, 6003)});
  path.push_back(head);
  path.push_back(body);
  path.push_back(empty);
  path.push_back(tail);
  return path;
}

}  // namespace

static_assert(three_pieces().size() == 2002);
static_assert(three_pieces().pieces().size() == 3, "a piece without operations is none");
static_assert(three_pieces()[0] == forward(0, 0));
static_assert(three_pieces()[1999] == forward(1999, 5997));
static_assert(three_pieces().back() == forward(2001, 6003));
static_assert(repeating_path{}.empty() && repeating_path{}.begin() == repeating_path{}.end());

TEST_CASE("read in order, and by number, it is the list") {
  const repeating_path path = three_pieces();
  std::size_t next = 0;
  for (const timed_op& o : path) {
    CHECK(o == forward(next, 3 * next));
    CHECK(o == path[next]);
    ++next;
  }
  CHECK(next == path.size());
}

TEST_CASE("micro-batches that run backwards") {
  path_piece body;
  body.ops.push_back({forward(9, 0), nowhere, 1});
  body.times = 10;
  body.every = 3;
  CHECK(body.at(9, 0).micro_batch == 0);
  CHECK(body.at(9, 0).span == span_of_time{27, 30});
}

}  // namespace repeating_path_test
