// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/part_event.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace part_event_test {

using namespace ipuflow::run::impl;
using enum part_work;

namespace {

part_event pass(part_work what, std::uint32_t micro_batch, std::uint32_t step, bool loads, bool stores) {
  return {.what = what, .micro_batch = micro_batch, .step = step, .loads = loads, .stores = stores};
}
part_event moves(part_work what, part_work of, std::uint32_t micro_batch, std::uint32_t step) {
  return {.what = what, .micro_batch = micro_batch, .step = step, .of = of};
}

}  // namespace

TEST_CASE("transfers of a pass are beside those before and behind it") {
  ipuflow::light_vector<part_event> events{{forward, 0, 1}, {backward, 0, 4}};
  transfer_beside(events, {0, 0, 0, 0, 0, 0});
  CHECK(events == ipuflow::light_vector<part_event>{moves(load, forward, 0, 0), pass(forward, 0, 1, false, false), moves(store, forward, 0, 2),
                                          moves(load, backward, 0, 3), pass(backward, 0, 4, false, false),
                                          moves(store, backward, 0, 5)});
}

TEST_CASE("but not beside a pass of the same part, nor one of another micro-batch, nor where there is none") {
  ipuflow::light_vector<part_event> events{{forward, 0, 0}, {backward, 0, 1}, {forward, 1, 2}, {arrival, 1, 2}, {backward, 1, 3}};
  const ipuflow::light_vector<part_event> before = events;
  transfer_beside(events, {0, 0, 1, 1});
  CHECK(events == before);
}

}  // namespace part_event_test
