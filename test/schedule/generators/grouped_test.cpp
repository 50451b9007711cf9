// SPDX-License-Identifier: BSL-1.0
// Grouped is the vendor's program, on lines of IPUs, shared IPUs and concurrent stages.
#include "reference_programs.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace grouped_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

struct four_stages {
  static constexpr std::size_t stage_count = 4;
  static constexpr std::size_t ipu_of(std::size_t stage) { return stage; }
};

constexpr auto asked = grouped(training(four_stages{}), micro_batches<16>);
static_assert(fifo_depths(asked) == per_stage(6, 4, 2, 0));
static_assert(in_flight(asked) == per_stage(7, 5, 3, 1));
static_assert(accept<verify(asked)>());
static_assert(fifo_depths(grouped(inference(four_stages{}), micro_batches<16>)) == per_stage(0, 0, 0, 0));
static_assert(accept<verify(grouped({.ipus = 64, .micro_batches = 1'000'064}))>());

/// Compares each step of each IPU with the program.
template <class T>
void same_as_program(const T& t, std::size_t stages, std::size_t count, bool trains) {
  std::vector<std::size_t> offsets(trains ? 2 * stages : stages);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
  std::size_t ran = 0;
  for (const auto& e : reference::run_slots(offsets.size(), offsets, count)) {
    const op o = reference::op_of(e, stages);
    CHECK(t.step_of(o) == e.step);
    for (std::size_t seat = t.where.first_seat(o.stage); seat < t.where.first_seat(o.stage + 1); ++seat) {
      bool found = false;
      for (const op& at : t.ops(t.where.ipu_of(seat, o.micro_batch), e.step)) found = found || at == o;
      CHECK(found);
      ++ran;
    }
  }
  CHECK(operations(t) == ran);
}

}  // namespace

TEST_CASE("each step of each IPU is the program's") {
  for (std::size_t stages = 2; stages <= 8; ++stages) {
    for (std::size_t rounds = 1; rounds <= 3; ++rounds) {
      same_as_program(grouped({.ipus = stages, .micro_batches = 2 * stages * rounds}), stages, 2 * stages * rounds,
                      true);
      same_as_program(grouped({.ipus = stages, .micro_batches = stages * rounds, .run_for = mode::inference}), stages,
                      stages * rounds, false);
    }
  }
  same_as_program(grouped(devices(0, 1, 2, 3, 0), micro_batches<20>), 5, 20, true);
  same_as_program(grouped(devices(0, 1, 0, 2, 0), micro_batches<20>), 5, 20, true);
  same_as_program(grouped(devices(2, 0, 1), micro_batches<12>, mode::inference), 3, 12, false);
  same_as_program(grouped(devices(2, 2, 2), micro_batches<12>, mode::inference), 3, 12, false);
}

TEST_CASE("the order of slots: descending in a step") {
  const auto t = grouped({.ipus = 2, .micro_batches = 8});
  std::string slots;
  for (std::size_t step = 0; step < t.steps(); ++step) {
    std::string in_step(4, ' ');
    for (std::size_t ipu = 0; ipu < 2; ++ipu) {
      for (const op& o : t.ops(ipu, step)) in_step[o.kind == pass::forward ? o.stage : 3 - o.stage] = 'x';
    }
    for (std::size_t slot = 4; slot-- > 0;)
      slots += in_step[slot] == 'x' ? std::string(1, static_cast<char>('0' + slot)) : "";
    slots += ' ';
  }
  CHECK(slots == "0 10 210 3210 3210 3210 3210 3210 321 32 3 ");
}

TEST_CASE("on one IPU a step does its backward before its forward") {
  for (std::size_t ipu = 0; ipu < 4; ++ipu) {
    const auto ops = asked.ops(ipu, 10);
    REQUIRE(ops.size() == 2);
    CHECK(ops[0] == op{pass::backward, ipu, 3 + ipu});
    CHECK(ops[1] == op{pass::forward, ipu, 10 - ipu});
  }
}

TEST_CASE("concurrent stages count as one stage, on all their IPUs") {
  for (const auto& t : {grouped(devices(0, on_ipus(0, 1), 1), micro_batches<18>),
                        grouped(devices(on_ipus(0, 1), 0, 1), micro_batches<18>)}) {
    CHECK_FALSE(verify(t));
    CHECK_FALSE(verify_order(t));
    CHECK(fifo_depths(t) == per_stage(4, 2, 0));
    same_as_program(t, 3, 18, true);
  }
}

TEST_CASE("recomputation comes one step before the backward and keeps inputs as long") {
  const auto t = grouped({.ipus = 4, .micro_batches = 16}, {.recompute = recomputation::automatic});
  CHECK_FALSE(verify(t));
  CHECK_FALSE(verify_order(t));
  for (std::size_t stage = 0; stage < 3; ++stage) {
    CHECK(t.step_of({pass::recompute, stage, 5}) + 1 == t.step_of({pass::backward, stage, 5}));
    CHECK(t.step_of({pass::recompute, stage, 5}) == 5 + 2 * 4 - 2 - stage);
  }
  CHECK(fifo_depths(t, until::recompute) == per_stage(6, 4, 2, 0));
}

TEST_CASE("on I/O tiles infeed, compute and outfeed are one step apart") {
  const auto t = grouped({.ipus = 4, .micro_batches = 16}, {.io_tiles = true});
  CHECK_FALSE(verify(t));
  CHECK_FALSE(verify_order(t));
  CHECK(t.step_of({pass::infeed, 0, 3}) == 3);
  CHECK(t.step_of({pass::forward, 2, 3}) == 3 + 2 + 1);
  CHECK(t.step_of({pass::outfeed, 3, 3}) == 3 + 3 + 2);
  CHECK(program_of(t).steps() == 16 + 8 + 2);
  CHECK(grouped({.ipus = 4, .micro_batches = 8}, {.io_tiles = true}).refused ==
        schedule_fault{schedule_wrong::too_few_micro_batches, 8, 16});
}

TEST_CASE("what grouped refuses, with the next number of micro-batches") {
  using enum schedule_wrong;
  CHECK(grouped({.ipus = 3, .micro_batches = 10, .run_for = mode::inference}).refused ==
        schedule_fault{not_a_multiple, 10, 12});
  CHECK(grouped({.ipus = 4, .micro_batches = 20}).refused == schedule_fault{not_a_multiple, 20, 24});
  CHECK(grouped({.ipus = 4, .micro_batches = 4}).refused == schedule_fault{too_few_micro_batches, 4, 8});
  CHECK(grouped({.ipus = 4}).refused == schedule_fault{no_micro_batches, 0, 8});
  CHECK(grouped({.ipus = 1, .micro_batches = 4}).refused == schedule_fault{one_stage_only, 1, 2});
  CHECK(grouped({.ipus = 1, .micro_batches = 1}).refused == schedule_fault{one_stage_only, 1, 2});  // no number of them helps
  CHECK(grouped(devices(on_ipus(1, 1), 0), micro_batches<4>).refused ==
        schedule_fault{.kind = branch_twice, .where = {.ipu = 1, .stage = 0}});
  CHECK_FALSE(grouped({.ipus = 4, .micro_batches = 24}).refused);
}

}  // namespace grouped_test
