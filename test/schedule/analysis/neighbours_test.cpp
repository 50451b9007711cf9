// SPDX-License-Identifier: BSL-1.0
// Who reads from whom: what one stage sends is what the other reads.
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/grid.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace neighbours_test {

using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

constexpr grid line{3, 3, 2};
static_assert(read_from(line, {pass::forward, 2, 0}) == 1 && read_from(line, {pass::forward, 0, 0}) == nowhere);
static_assert(read_from(line, {pass::backward, 0, 0}) == 1 && read_from(line, {pass::backward, 2, 0}) == nowhere);
static_assert(read_from(line, {pass::backward_weights, 1, 0}) == nowhere);
static_assert(sent_to(line, {pass::recompute, 1, 0}) == nowhere);

}  // namespace

TEST_CASE("a stage reads from the stage that sends to it") {
  for (std::size_t kind = 0; kind < pass_count; ++kind) {
    for (std::size_t stage = 0; stage < 3; ++stage) {
      const op o{static_cast<pass>(kind), stage, 1};
      const std::size_t from = read_from(line, o);
      const std::size_t to = sent_to(line, o);
      if (from != nowhere) CHECK(sent_to(line, {o.kind, from, 1}) == stage);
      if (to != nowhere) CHECK(read_from(line, {o.kind, to, 1}) == stage);
    }
  }
}

TEST_CASE("all seats of a stage, and the IPUs at the other end") {
  const auto where = devices(0, on_ipus(0, 2, 1), 1);
  std::vector<std::pair<std::size_t, std::size_t>> seats;
  for_each_seat(where, 1, 0, [&](std::size_t seat, std::size_t ipu) { seats.emplace_back(seat, ipu); });
  CHECK(seats == std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {2, 2}, {3, 1}});
  std::vector<std::size_t> others;
  for_each_ipu_but(0, where, 1, 0, [&](std::size_t ipu) { others.push_back(ipu); });
  CHECK(others == std::vector<std::size_t>{2, 1});
  for_each_seat(where, nowhere, 0, [](std::size_t, std::size_t) { CHECK(false); });
}

}  // namespace neighbours_test
