// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/stream_edges.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>
#include <utility>

namespace stream_edges_test {

using namespace ipuflow;
using streams::token;

TEST_CASE("parts are joined when every branch has one, oldest first, and make room") {
  using P = std::remove_cvref_t<decltype(streams::fork_middle)>;
  run::impl::stream_edges<P> edges{{1, 1, 1}, 2};
  const auto joined = [&] {
    long sum = -1;
    edges.template join_oldest<1>([&](auto&& out) { sum = std::get<0>(out).value() * 100 + std::get<1>(out).value(); });
    return sum;
  };
  for (long x = 1; x <= 2; ++x) edges.inlet<1>().push(token{x});
  CHECK(!edges.inlet<1>().has_room());
  for (int i = 0; i < 2; ++i) {
    edges.outlet<1, 0>().push(call_branch<1, 0>(streams::fork_middle, *edges.inlet<1>().front(0)));
    edges.inlet<1>().release(0);
  }
  CHECK(joined() == -1);
  edges.outlet<1, 1>().push(call_branch<1, 1>(streams::fork_middle, *edges.inlet<1>().front(1)));
  edges.inlet<1>().release(1);
  CHECK(!edges.inlet<1>().has_room());  // until the parts are joined
  CHECK(joined() == 2001 * 100 + 3001);
  CHECK(edges.inlet<1>().has_room());
  CHECK(!edges.joined_all<1>());
  edges.outlet<1, 1>().close();
  CHECK(edges.joined_all<1>());
}

TEST_CASE("edges are as deep as asked for, deeper where they must be") {
  using P = std::remove_cvref_t<decltype(streams::line)>;
  run::impl::stream_edges<P> edges{{1, 5, 1, 1}, 3};
  std::size_t deep = 0;
  std::size_t shallow = 0;
  for (; edges.inlet<1>().has_room(); ++deep) edges.inlet<1>().push(token{0});
  for (; edges.inlet<2>().has_room(); ++shallow) edges.inlet<2>().push(token{0});
  CHECK(deep == 5);
  CHECK(shallow == 3);
}

}  // namespace stream_edges_test
