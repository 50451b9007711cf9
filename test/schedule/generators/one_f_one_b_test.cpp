// SPDX-License-Identifier: BSL-1.0
// 1F1B and its eager variant are the loops that their authors wrote.
#include "reference_orders.hpp"

#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace one_f_one_b_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(in_flight(one_f_one_b({.ipus = 4, .micro_batches = 8})) == per_stage(4, 3, 2, 1));
static_assert(in_flight(eager_1f1b({.ipus = 4, .micro_batches = 8})) == per_stage(7, 5, 3, 1));
static_assert(accept<verify(one_f_one_b({.ipus = 64, .micro_batches = 1'000'000}))>());
static_assert(accept<verify(eager_1f1b({.ipus = 64, .micro_batches = 1'000'000}))>());

TEST_CASE("1F1B is w forwards, pairs, and w backwards") {
  for (std::size_t ipus = 1; ipus <= 8; ++ipus) {
    for (std::size_t count = 1; count <= 24; ++count) {
      const auto t = one_f_one_b({.ipus = ipus, .micro_batches = count});
      const auto eager = eager_1f1b({.ipus = ipus, .micro_batches = count});
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
        CHECK(reference::order_of(t, ipu) == reference::one_f_one_b(ipu, ipus, count));
        CHECK(reference::order_of(eager, ipu) == reference::one_f_one_b(ipu, ipus, count, 2));
      }
      CHECK(makespan(t) == (count + ipus - 1) * 3);
      CHECK(makespan(eager, costs{2, 2, 1}) == (count + ipus - 1) * 5);
      CHECK(makespan(t, costs{3, 1, 1}) == (count + ipus - 1) * 5);
    }
  }
}

TEST_CASE("the published timetable: step t is a forward where it has the parity of the IPU") {
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 8});
  CHECK(t.steps() == 2 * (8 + 4 - 1));
  for (std::size_t ipu = 0; ipu < 4; ++ipu) {
    for (std::size_t step = 0; step < t.steps(); ++step) {
      for (const op& o : t.ops(ipu, step)) {
        if (o.kind == pass::forward) CHECK(step == 2 * o.micro_batch + ipu);
        if (o.kind == pass::backward) CHECK(step == 2 * o.micro_batch + 7 - ipu);
      }
    }
  }
}

namespace {

/// What an IPU does in a cycle of PopART's pipeline, as "F4 B0": forward first, in cycles of two steps of the eager variant.
std::string cycle(const modular<>& t, std::size_t ipu, std::size_t c) {
  std::string all;
  for (const std::size_t step : {2 * c, 2 * c + 1}) {
    for (const op& o : t.ops(ipu, step)) {
      if (!all.empty()) all += ' ';
      all += letter(o.kind) + std::to_string(o.micro_batch);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("PopART's cycles are the steps of the eager variant, two by two") {
  const auto t = eager_1f1b({.ipus = 3, .micro_batches = 5});
  const std::string drawn[3][9] = {{"F0", "F1", "F2", "F3", "F4 B0", "B1", "B2", "B3", "B4"},
                                   {"", "F0", "F1", "F2 B0", "F3 B1", "F4 B2", "B3", "B4", ""},
                                   {"", "", "F0 B0", "F1 B1", "F2 B2", "F3 B3", "F4 B4", "", ""}};
  for (std::size_t ipu = 0; ipu < 3; ++ipu) {
    for (std::size_t c = 0; c < 9; ++c) CHECK(cycle(t, ipu, c) == drawn[ipu][c]);
  }
  CHECK(in_flight(t) == per_stage(5, 3, 1));  // its stashes; a stash of 1 is none

  struct run {
    std::size_t stages, accumulated;
  };
  for (const auto [stages, accumulated] : {run{3, 8}, run{5, 5}, run{5, 8}, run{7, 7}, run{7, 16}}) {
    const std::size_t fill = stages - 1;  // cycles; the flush has as many
    const std::size_t ipus = (stages + 1) / 2;
    const auto r = eager_1f1b({.ipus = ipus, .micro_batches = accumulated});
    CHECK((r.steps() + 1) / 2 == accumulated + fill);
    for (std::size_t c = 0; c < accumulated + fill; ++c) {
      bool full = true;
      for (std::size_t ipu = 0; ipu < ipus; ++ipu) full = full && cycle(r, ipu, c).find(' ') != std::string::npos;
      CHECK(full == (c >= fill && c < accumulated));
    }
  }
}

TEST_CASE("messages take longer to hide for 1F1B than for the eager variant") {
  const costs slow{.forward = 2, .backward_inputs = 1, .backward_weights = 1, .communication = 1};
  const setup asked{.ipus = 8, .micro_batches = 64};
  CHECK(makespan(eager_1f1b(asked), slow) < makespan(one_f_one_b(asked), slow));
}

TEST_CASE("inference, several stages per IPU and nothing at all are refused") {
  CHECK(one_f_one_b({.ipus = 4, .micro_batches = 8, .run_for = mode::inference}).refused.kind ==
        schedule_wrong::training_only);
  CHECK(one_f_one_b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 8}).refused ==
        schedule_fault{schedule_wrong::stages_per_ipu, 2, 1});
  CHECK(one_f_one_b({.ipus = 4}).refused == schedule_fault{schedule_wrong::no_micro_batches, 0, 1});
  CHECK(one_f_one_b({.micro_batches = 4}).refused == schedule_fault{schedule_wrong::no_stages, 0, 1});
  CHECK(one_f_one_b({.ipus = most_stages + 2, .micro_batches = 4}).refused.kind == schedule_wrong::too_many_stages);
}

}  // namespace one_f_one_b_test
