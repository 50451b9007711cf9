// SPDX-License-Identifier: BSL-1.0
// What is refused is tested in on_threads_test.cpp, chains in chains_test.cpp.
#include <ipuflow/run/threads/stream_plan.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace stream_plan_test {

using namespace ipuflow;

TEST_CASE("a plan has lanes for each thread, and chains only where they are wanted") {
  const auto t = schedule::inference(streams::line, micro_batches<8>);
  const auto chained = run::impl::plan_stream(streams::line, t, 2, true);
  CHECK(chained.joined.lanes == run::dealt{{0}, {2}});
  const auto apart = run::impl::plan_stream(streams::line, t, 2, false);
  CHECK(apart.joined.lanes == run::dealt{{0, 1}, {2, 3}});
  CHECK(apart.joined.last.empty());
}

TEST_CASE("with chains every order gets to its end, however shallow the rings are") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    for (unsigned seed = 1; seed <= 40; ++seed) {
      const auto t = streams::any_order(p, 12, seed);
      for (const std::size_t threads : {1u, 2u, 3u}) {
        CHECK(streams::outputs(p, t, 12, {.threads = threads, .capacity = 1}) == streams::all_expected(p, 12));
      }
    }
  });
}

}  // namespace stream_plan_test
