// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/stage_stash.hpp>

#include "small_network.hpp"

#include <ipuflow/nn/stage/plan_of_stage.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>

namespace stage_stash_test {

using namespace ipuflow;
using nn::area;
using train::impl::keeping;

namespace {

/// Three segments, each with something to keep.
constexpr auto network = single_stage(
    input<float, 6>, block<"all">(nn::linear<16>, nn::tanh, nn::linear<16>, nn::tanh, nn::checkpoint, nn::linear<16>,
                                  nn::tanh, nn::linear<16>, nn::tanh, nn::checkpoint, nn::linear<8>, nn::tanh,
                                  nn::linear<8>, nn::tanh));
constexpr const auto& plan = nn::planned<decltype(network), 0, float>;
constexpr auto whole = nn::layout_of(plan, 8);
constexpr auto by_segment = nn::layout_of(plan, 8, true);
constexpr train::impl::stash deep{.in_flight = 3, .slopes = 2, .outgoing = 2};

constexpr std::size_t of(area where) { return whole.bytes_of_values(where).value; }

}  // namespace

TEST_CASE("each way of keeping takes what it says") {
  const auto bytes = [](const auto& layout, const train::impl::stash& s, keeping what, bool lasts = false) {
    return train::impl::stage_stash{layout, s, {8, what, false, lasts}}.bytes();
  };
  const std::size_t all = of(area::kept) + of(area::stored) + of(area::exit);
  CHECK(bytes(whole, deep, keeping::activations) == 3 * (of(area::entry) + all));
  CHECK(bytes(whole, deep, keeping::nothing) == of(area::entry) + all + of(area::exit));
  train::impl::stash again = deep;
  again.recomputed = 1;
  CHECK(bytes(whole, again, keeping::entries) == 3 * of(area::entry) + 2 * all + of(area::exit));
  const std::size_t segment = by_segment.bytes_of_values(area::kept).value;
  CHECK(segment < of(area::kept));
  CHECK(bytes(by_segment, deep, keeping::checkpoints) ==
        3 * (of(area::entry) + of(area::stored)) + segment + 3 * of(area::exit));
  CHECK(bytes(by_segment, deep, keeping::checkpoints, true) ==
        3 * (of(area::entry) + of(area::stored) + of(area::exit)) + segment + of(area::exit));
}

TEST_CASE("what one micro-batch keeps is apart from what another one does, and is found again") {
  for (const bool within : {false, true}) {
    train::impl::stage_stash stash{
        within ? by_segment : whole, deep, {3, within ? keeping::checkpoints : keeping::activations, false, false}};
    std::set<std::byte*> seen;
    nn::stage_memory made[3];
    for (std::size_t m = 0; m < 3; ++m) {
      made[m] = stash.forward(m);
      seen.insert(made[m].value(area::entry));
      seen.insert(made[m].value(area::stored));
    }
    CHECK(seen.size() == 6);
    CHECK((made[0].value(area::kept) == made[1].value(area::kept)) == within);
    CHECK(made[0].value(area::exit) != made[1].value(area::exit));
    nn::stage_memory found = stash.begin_backward(1);
    CHECK(found.value(area::entry) == made[1].value(area::entry));
    CHECK(found.value(area::stored) == made[1].value(area::stored));
    CHECK((found.value(area::exit) == made[1].value(area::exit)) == !within);
    CHECK(stash.backward(1).gradient(area::exit) == found.gradient(area::exit));
    CHECK(stash.begin_backward(0).gradient(area::exit) != found.gradient(area::exit));
    stash.let_go(1);
    CHECK(stash.forward(1).value(area::entry) == made[1].value(area::entry));  // there is no other one
  }
}

TEST_CASE("where what leaves is read again it stays with what is stored") {
  train::impl::stage_stash stash{by_segment, deep, {3, keeping::checkpoints, false, true}};
  nn::stage_memory made = stash.forward(2);
  CHECK(stash.begin_backward(2).value(area::exit) == made.value(area::exit));
  CHECK(made.value(area::exit) == made.value(area::stored) + of(area::stored));
}

TEST_CASE("an entry that is elsewhere takes no memory, and a recomputation has memory of its own") {
  CHECK(train::impl::stage_stash{whole, deep, {3, keeping::nothing, true, false}}.forward(0).value(area::entry) == nullptr);
  train::impl::stash again = deep;
  again.recomputed = 1;
  train::impl::stage_stash stash{whole, again, {3, keeping::entries, false, true}};
  nn::stage_memory first = stash.forward(0);
  nn::stage_memory redone = stash.recompute(0);
  CHECK(redone.value(area::entry) == first.value(area::entry));
  CHECK(redone.value(area::kept) != first.value(area::kept));
  CHECK(stash.begin_backward(0).value(area::kept) == redone.value(area::kept));
  stash.clear();
  CHECK(stash.forward(1).value(area::entry) == first.value(area::entry));
}

}  // namespace stage_stash_test
