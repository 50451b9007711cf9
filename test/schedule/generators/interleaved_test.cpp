// SPDX-License-Identifier: BSL-1.0
// Interleaved is the vendor's program; its training is in the order of 1F1B, its inference overlaps what can be.
#include "reference_orders.hpp"
#include "reference_programs.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace interleaved_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(fifo_depths(interleaved({.ipus = 4, .micro_batches = 16})) == per_stage(3, 2, 1, 0));
static_assert(in_flight(interleaved({.ipus = 4, .micro_batches = 16})) == per_stage(4, 3, 2, 1));
static_assert(accept<verify(interleaved({.ipus = 64, .micro_batches = 1'000'000}))>());

namespace {

template <class T>
void same_as_program(const T& t, std::size_t stages, const std::vector<std::size_t>& offsets, bool trains) {
  REQUIRE_FALSE(verify(t));
  REQUIRE_FALSE(verify_order(t));
  const auto ran = reference::run_slots(trains ? 2 * stages : stages, offsets, t.where.micro_batches);
  CHECK(operations(t) == ran.size());
  for (const auto& e : ran) {
    const op o = reference::op_of(e, stages);
    CHECK(t.step_of(o) == e.step);
    const auto ops = t.ops(t.where.ipu_of(t.where.first_seat(o.stage), o.micro_batch), e.step);
    REQUIRE(ops.size() == 1);
    CHECK(ops[0] == o);
  }
}

}  // namespace

TEST_CASE("each step of each IPU is the program's, each order that of 1F1B") {
  for (std::size_t stages = 2; stages <= 8; ++stages) {
    std::vector<std::size_t> training_offsets, inference_offsets;
    for (std::size_t i = 0; i < stages; ++i) training_offsets.push_back(2 * i), inference_offsets.push_back(i);
    for (std::size_t count = stages; count <= 4 * stages; count += stages) {
      const auto t = interleaved({.ipus = stages, .micro_batches = count});
      same_as_program(t, stages, training_offsets, true);
      for (std::size_t ipu = 0; ipu < stages; ++ipu) {
        CHECK(reference::order_of(t, ipu) == reference::one_f_one_b(ipu, stages, count));
      }
      same_as_program(interleaved({.ipus = stages, .micro_batches = count, .run_for = mode::inference}), stages,
                      inference_offsets, false);
    }
  }
}

TEST_CASE("the order of slots of two stages") {
  const auto t = interleaved({.ipus = 2, .micro_batches = 4});
  std::string slots;  // rows in turn: the row of a micro-batch is its number modulo the offsets
  for (std::size_t step = 0; step < t.steps(); ++step) {
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t ipu = 0; ipu < 2; ++ipu) {
        for (const op& o : t.ops(ipu, step)) {
          if (o.micro_batch % 2 == row) slots += std::to_string(o.kind == pass::forward ? o.stage : 3 - o.stage);
        }
      }
    }
  }
  CHECK(slots == "0120310213203123");
}

TEST_CASE("inference on shared IPUs overlaps only copies that never meet") {
  same_as_program(interleaved(devices(0, 1, 2, 1, 0, 1), micro_batches<8>, mode::inference), 6, {0, 1}, false);
  same_as_program(interleaved(devices(2, 2, 2), micro_batches<12>, mode::inference), 3, {0}, false);
  same_as_program(interleaved(devices(0, 1, 0), micro_batches<5>, mode::inference), 3, {0}, false);
  same_as_program(interleaved(devices(1, 3, 4, 3, 0, 2, 0), micro_batches<9>, mode::inference), 7, {0, 1, 4}, false);
}

TEST_CASE("a stage without an IPU is named, however many stages there are for a list of few seats") {
  for (const std::size_t last : {2u, 3u, 40u, 5000u}) {
    for (const mode run_for : {mode::training, mode::inference}) {
      device_map<2> where;
      where.add(0, 0);
      where.add(last, 1);
      const schedule_fault found = interleaved(where, 2 * (last + 1), run_for).refused;
      if (last < most_stages)
        CHECK(found == schedule_fault{.kind = schedule_wrong::unmapped_stage, .where = {.stage = 1}});
      else
        CHECK(found.kind == schedule_wrong::too_many_stages);
    }
  }
}

TEST_CASE("inference on IPUs that a concurrent stage shares with another stage overlaps no copies that meet there") {
  CHECK_FALSE(verify(interleaved(devices(0, on_ipus(0, 1)), micro_batches<1>, mode::inference)));
  CHECK_FALSE(verify(interleaved(devices(1, 0, on_ipus(1, 0)), micro_batches<6>, mode::inference)));
  CHECK_FALSE(verify(interleaved(devices(on_ipus(2, 3), 1, 2), micro_batches<5>, mode::inference)));
  const auto apart = interleaved(devices(0, on_ipus(1, 2), 3), micro_batches<9>, mode::inference);
  CHECK_FALSE(verify(apart));
  CHECK(apart.where.delays.size() == 3);
  const auto one_at_a_time = interleaved(devices(on_ipus(0, 1), 2, on_ipus(3, 4)), micro_batches<9>, mode::inference);
  CHECK_FALSE(verify(one_at_a_time));
  CHECK(one_at_a_time.where.delays.size() == 1);
}

TEST_CASE("training on shared IPUs is refused") {
  using enum schedule_wrong;
  CHECK(interleaved(devices(0, 1, 0), micro_batches<9>).refused ==
        schedule_fault{.kind = repeated_ipu, .where = {.ipu = 0, .stage = 2}});
  CHECK(interleaved(devices(0, 1, on_ipus(2, 3), 0), micro_batches<16>).refused ==
        schedule_fault{.kind = repeated_ipu, .where = {.ipu = 0, .stage = 3}});
  CHECK_FALSE(verify(interleaved(devices(0, on_ipus(1, 2), 3), micro_batches<9>)));
  CHECK(interleaved({.ipus = 3, .micro_batches = 10, .run_for = mode::inference}).refused ==
        schedule_fault{not_a_multiple, 10, 12});
  CHECK_FALSE(interleaved({.ipus = 4, .micro_batches = 20}).refused);
}

TEST_CASE("recomputation runs beside a later forward, one step before its backward") {
  const auto t = interleaved({.ipus = 4, .micro_batches = 8}, recomputation::automatic);
  CHECK_FALSE(verify(t));
  CHECK_FALSE(verify_order(t));
  for (std::size_t stage = 0; stage < 3; ++stage)
    CHECK(t.step_of({pass::recompute, stage, 2}) == 2 * 2 + 8 - 2 - stage);
  CHECK(fifo_depths(t, until::recompute) == per_stage(3, 2, 1, 0));
}

}  // namespace interleaved_test
