// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/seats.hpp>

#include "forked_network.hpp"

#include <ipuflow/train/tensors.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>

namespace seats_test {

using namespace ipuflow;

namespace {

using small = std::remove_cvref_t<decltype(test::small_network)>;
using forked = std::remove_cvref_t<decltype(test::forked_network)>;

static_assert(std::is_same_v<train::impl::seat_program<small, 2>, nn::stage_program<small, 2>>);  // the whole stage
static_assert(!std::is_same_v<train::impl::seat_program<forked, 2>, nn::stage_program<forked, 1>>);

}  // namespace

TEST_CASE("every branch has a number, in the order of stages and branches") {
  constexpr auto& plain = train::impl::seats_of<small>;
  CHECK(plain.count() == 4);
  for (std::size_t seat = 0; seat < 4; ++seat) {
    CHECK(plain.stage[seat] == seat);
    CHECK(plain.branch[seat] == 0);
  }
  constexpr auto& seats = train::impl::seats_of<forked>;
  CHECK(seats.count() == 7);
  CHECK(seats.branches(1) == 3);
  CHECK(seats.branches(2) == 2);
  for (std::size_t seat = 0; seat < seats.count(); ++seat) {
    CHECK(seats.first[seats.stage[seat]] + seats.branch[seat] == seat);
    CHECK(seats.branch[seat] < seats.branches(seats.stage[seat]));
  }
}

TEST_CASE("parameters of branches lie one after the other where those of their stage are") {
  constexpr auto& seats = train::impl::seats_of<forked>;
  for (std::size_t stage = 0; stage <= forked::stage_count; ++stage) {
    CHECK(train::impl::seat_offsets_of<forked>.values[seats.first[stage]] == train::impl::offsets_of<forked>.values[stage]);
    CHECK(train::impl::seat_offsets_of<forked>.state[seats.first[stage]] == train::impl::offsets_of<forked>.state[stage]);
  }
}

}  // namespace seats_test
