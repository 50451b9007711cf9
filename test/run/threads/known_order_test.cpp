// SPDX-License-Identifier: BSL-1.0
// Whether chains follow from `one_by_one` is tested in chains_test.cpp.
#include <ipuflow/run/threads/depth.hpp>
#include <ipuflow/run/threads/known_order.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>

namespace known_order_test {

using namespace ipuflow;

namespace {

constexpr auto known = [](const auto& t) { return run::impl::known_of(t); };

}  // namespace

TEST_CASE("depths of a closed form do not grow with the micro-batches and are no less than what is counted") {
  const auto few = known(schedule::inference(streams::folded, micro_batches<64>)).needed;
  CHECK(few == known(schedule::inference(streams::folded, micro_batches<1'000'000'000>)).needed);
  const auto table = schedule::tabulate(schedule::inference(streams::folded, micro_batches<64>));
  const auto counted = run::impl::depth_count{run::impl::places_of(streams::folded), table}.run().needed;
  REQUIRE(few.size() == counted.size());
  for (std::size_t s = 1; s < 4; ++s) CHECK(few[s] >= counted[s]);
}

TEST_CASE("of a table nothing is known, and of a sequential order that micro-batches come one by one") {
  const auto line = schedule::inference(streams::line, micro_batches<8>);
  CHECK(known(schedule::tabulate(line)).needed.empty());
  CHECK_FALSE(known(schedule::tabulate(line)).one_by_one);
  CHECK_FALSE(known(line).one_by_one);
  CHECK(known(schedule::sequential(streams::line, micro_batches<8>)).one_by_one);
}

}  // namespace known_order_test
