// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/count_chip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>

namespace work_shares_test {

using namespace planning_test;

TEST_CASE("shares of a chip's work are those of micro-batches: neither their number nor where the state is changes them") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const auto shares = [&](std::size_t micro_batches, const on::chips& where) {
    const schedule::table t = schedule::tabulate(schedule::grouped({.ipus = 2, .micro_batches = micro_batches}));
    return train::count_chip(cut, t, 0, train::adamw{}, {.micro_batch = 2}, where).shares;
  };
  const auto few = shares(4, {}), more = shares(16, {}), away = shares(4, {.optimiser_state = run::kept_in::streaming_memory});
  double all = 0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK(few[i] == doctest::Approx(more[i]).epsilon(.01));
    CHECK(few[i] == doctest::Approx(away[i]).epsilon(.01));
    all += few[i];
  }
  CHECK(all == doctest::Approx(1));
  CHECK(few[static_cast<std::size_t>(plan::work_of_chip::streaming)] == 0);
  CHECK(few[static_cast<std::size_t>(plan::work_of_chip::compute)] > 0);
}

TEST_CASE("zeros that are stored before the first pass are a part of what clears sums, not of the update") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  const auto counted = [&](const on::chips& where) { return train::count_chip(cut, t, 0, train::adamw{}, {.micro_batch = 2}, where); };
  const plan::counted_chip here = counted({}), away = counted({.accumulators = run::kept_in::streaming_memory});
  const cycles stored = away.clear - here.clear, brought = away.update - here.update;
  CHECK(stored.value > 0);
  CHECK(brought.value > 0);
  CHECK(stored.value < 2 * brought.value);  // the same bytes, one way each
  CHECK(brought.value < 2 * stored.value);
}

TEST_CASE("sums are brought before the chips meet that add them up; without a meeting they are a part of the update like all else") {
  using plan::meeting_of_chips;
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const auto counted = [&](const schedule::table& t, const on::chips& where, bool limited = false) {
    const float length = limited ? 1 : std::numeric_limits<float>::infinity();
    return train::count_chip(cut, t, 0, train::adamw{}, {.micro_batch = 2, .max_grad_norm = length}, where);
  };
  const on::chips away{.accumulators = run::kept_in::streaming_memory};
  const schedule::table alone = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4}));
  const plan::counted_chip one = counted(alone, away);
  CHECK(one[meeting_of_chips::sums] == plan::chip_meeting{});
  CHECK(one[meeting_of_chips::told] == plan::chip_meeting{});
  CHECK(one.alone() == one.update);
  const schedule::table both = schedule::tabulate(schedule::chimera({.ipus = 2, .micro_batches = 4}));
  const plan::counted_chip here = counted(both, {});
  CHECK(here[meeting_of_chips::sums].before.value == 0);
  CHECK(here[meeting_of_chips::sums].together.value > 0);
  const plan::counted_chip far = counted(both, away);
  CHECK(far[meeting_of_chips::sums].before.value > 0);
  CHECK(far.alone() == here.update);

  const plan::counted_chip limited = counted(alone, away, true);  // all are told of all gradients, which are brought and measured before
  CHECK(limited[meeting_of_chips::sums] == plan::chip_meeting{});
  CHECK(limited[meeting_of_chips::told].before > far[meeting_of_chips::sums].before);
  CHECK(limited[meeting_of_chips::told].together.value > 0);
  const plan::counted_chip both_limited = counted(both, away, true);
  CHECK(both_limited[meeting_of_chips::sums] == far[meeting_of_chips::sums]);
  CHECK(both_limited[meeting_of_chips::told].before.value > 0);
}

}  // namespace work_shares_test
