// SPDX-License-Identifier: BSL-1.0
// Sizes by arithmetic are sizes by walking, for every schedule of every size.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/depths.hpp>

#include <doctest/doctest.h>

namespace depths_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

static_assert(fifo_depths(grouped({.ipus = 2, .micro_batches = 8})) == per_stage(2, 0));
static_assert(fifo_depths(grouped({.ipus = 3, .micro_batches = 6})) == per_stage(4, 2, 0));
static_assert(fifo_depths(grouped({.ipus = 8, .micro_batches = 16}))[0] == 14);
static_assert(fifo_depths(interleaved({.ipus = 8, .micro_batches = 16}))[0] == 7);
static_assert(fifo_depths(interleaved({.ipus = 3, .micro_batches = 6})) == per_stage(2, 1, 0));
static_assert(fifo_depths(sequential({.ipus = 3, .micro_batches = 6})) == per_stage(0, 0, 0));
static_assert(in_flight(sequential({.ipus = 3, .micro_batches = 6})) == per_stage(1, 1, 1));

TEST_CASE("closed form and walk agree on what is kept until it is recomputed") {
  for (std::size_t ipus = 2; ipus <= 6; ++ipus) {
    const auto t = grouped({.ipus = ipus, .micro_batches = 4 * ipus}, {.recompute = recomputation::then_backpropagate});
    const auto walked = every::by_walking(t);
    CHECK(fifo_depths(t, until::recompute) == fifo_depths(walked, until::recompute));
    CHECK(in_flight(t, until::recompute) == in_flight(walked, until::recompute));
    CHECK(peak(t, until::recompute) == peak(walked, until::recompute));
  }
}

TEST_CASE("a FIFO from the first pass of a step to a later one holds the value of that step") {
  const auto t = grouped({.ipus = 3, .micro_batches = 12}, {.io_tiles = true});
  CHECK(fifo_depth(t, {pass::infeed, 0}, {pass::forward, 0}) == 1);
}

TEST_CASE("closed form and walk agree") {
  every::schedule({}, [](auto, const setup&, const auto& t) {
    const auto walked = every::by_walking(t);
    for (const until life : {until::last_use, until::backward_inputs, until::recompute}) {
      CHECK(fifo_depths(t, life) == fifo_depths(walked, life));
      CHECK(in_flight(t, life) == in_flight(walked, life));
      CHECK(peak(t, life) == peak(walked, life));
    }
  });
}

TEST_CASE("they do not depend on the number of micro-batches once the ramps are full") {
  for (const std::size_t ipus : {2u, 5u, 8u}) {
    const setup few{.ipus = ipus, .micro_batches = 20 * ipus};
    const setup many{.ipus = ipus, .micro_batches = 200'000 * ipus};
    CHECK(fifo_depths(grouped(few)) == fifo_depths(grouped(many)));
    CHECK(peak(zb1p(few)) == peak(zb1p(many)));
    CHECK(in_flight(v_min(few)) == in_flight(v_min(many)));
    CHECK(peak(interleaved_1f1b({ipus, 3, few.micro_batches})) ==
          peak(interleaved_1f1b({ipus, 3, many.micro_batches})));
  }
}

TEST_CASE("a value that is split lives on until its weights have their gradient") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 12}, [](auto, const setup&, const auto& t) {
    const counts inputs = in_flight(t, until::backward_inputs), weights = in_flight(t);
    const counts depths = fifo_depths(t);
    for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
      CHECK(inputs[stage] <= weights[stage]);
      if (t.run_for == mode::training) CHECK(depths[stage] < t.where.micro_batches);
    }
  });
}

TEST_CASE("Of two passes of a schedule one is read behind the other, and a FIFO leads in that direction alone") {
  every::schedule({.ipus = 3, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    if constexpr (requires { fifo_depth(t, {}, {}); }) {
      const auto refused = [&](fifo_end from, fifo_end to) {
        std::size_t depth = 0;
        try {
          depth = fifo_depth(t, from, to);
        } catch (const rejected<schedule_fault>& wrong) {
          return wrong.found().kind == schedule_wrong::no_fifo;
        }
        CHECK(depth < t.where.micro_batches);
        return false;
      };
      const auto has = [&](fifo_end at) { return t.parts[0][at.kind].has(at.stage, t.where.stages); };
      for (std::size_t i = 0; i < pass_count * t.where.stages; ++i) {
        const fifo_end from{static_cast<pass>(i % pass_count), i / pass_count};
        CHECK(refused(from, from));
        for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
          const fifo_end to{pass::forward, stage};
          if (from.kind == to.kind && from.stage == to.stage) continue;
          CHECK((refused(from, to) && refused(to, from)) == !has(from));
        }
      }
    }
  });
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 8});
  CHECK_THROWS_WITH((void)fifo_depth(t, {pass::backward, 1}, {pass::forward, 1}),
                    "ipuflow: no FIFO ends here: forward in stage 1; name first the pass that writes it, then one that reads it later, both of which "
                    "the schedule has");
  CHECK_THROWS_WITH((void)fifo_depth(t, {}, {pass::backward, 4}), "ipuflow: no such stage: backward in stage 4; the stages end at 4");
}

TEST_CASE("FIFOs that are too shallow") {
  const auto t = grouped({.ipus = 4, .micro_batches = 16});
  CHECK_FALSE(verify_fifos(t, per_stage(6, 4, 2, 0)));
  CHECK(verify_fifos(t, per_stage(6, 3, 2, 0)) == schedule_fault{schedule_wrong::fifo_too_shallow, 4, 3, {.stage = 1}});
  CHECK(verify_fifos(t, per_stage(6)) == schedule_fault{schedule_wrong::fifo_too_shallow, 4, 0, {.stage = 1}});
}

TEST_CASE("a value that is handed through stages") {
  const auto grouped_map = grouped(devices(0, 1, 0), micro_batches<12>);
  CHECK(fifo_depth(grouped_map, {pass::forward, 0}, {pass::forward, 2}) == 1);
  CHECK(fifo_depth(grouped_map, {pass::backward, 2}, {pass::backward, 0}) == 1);
  CHECK(fifo_depth(grouped_map, {pass::forward, 1}, {pass::backward, 1}) == 2);
  CHECK(fifo_depth(interleaved({.ipus = 3, .micro_batches = 9}), {pass::forward, 1}, {pass::backward, 1}) == 1);
  CHECK(fifo_depth(grouped(devices(0, 1, 0), micro_batches<6>, mode::inference), {pass::forward, 0},
                   {pass::forward, 2}) == 1);
  CHECK(fifo_depth(sequential(devices(0, 1, 0), micro_batches<6>), {pass::forward, 0}, {pass::forward, 2}) == 0);
  for (std::size_t stage = 0; stage < 3; ++stage) {
    CHECK(fifo_depth(grouped_map, {pass::forward, stage}, {pass::backward, stage}) == fifo_depths(grouped_map)[stage]);
  }
}

}  // namespace depths_test
