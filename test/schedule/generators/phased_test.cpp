// SPDX-License-Identifier: BSL-1.0
// Phases are numbered as the vendor numbers them.
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace phased_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

std::vector<std::size_t> backward_phases(phased_options options) {
  return {options.backward_phase(0, 3), options.backward_phase(1, 3), options.backward_phase(2, 3)};
}

}  // namespace

TEST_CASE("three serial phases") {
  using list = std::vector<std::size_t>;
  using enum liveness;
  CHECK(phased_options{always_live}.phases(3) == 3);
  CHECK(phased_options{off_chip_after_forward}.phases(3) == 6);
  CHECK(phased_options{off_chip_after_forward_no_overlap}.phases(3) == 8);
  CHECK(phased_options{off_chip_after_each_phase}.phases(3) == 12);
  CHECK(phased_options{off_chip_after_each_phase}.stride() == 4);
  CHECK(phased_options{off_chip_after_forward_no_overlap}.stride() == 2);
  CHECK(backward_phases({always_live}) == list{4, 3, 2});
  CHECK(backward_phases({off_chip_after_forward}) == list{8, 7, 6});
  CHECK(backward_phases({off_chip_after_forward_no_overlap}) == list{12, 10, 8});
  CHECK(backward_phases({off_chip_after_each_phase}) == list{20, 16, 12});
  CHECK(backward_phases({.live = always_live, .separate_backward = true}) == list{6, 5, 4});
  CHECK(phased_options{.live = always_live, .separate_backward = true}.phases(3) == 4);
}

TEST_CASE("one phase at a time, each at the step of its number") {
  using enum liveness;
  for (const liveness live :
       {always_live, off_chip_after_forward, off_chip_after_forward_no_overlap, off_chip_after_each_phase}) {
    for (const std::size_t ipus : {1u, 2u, 4u}) {
      for (const std::size_t chunks : {1u, 3u}) {
        const phased_options options{.live = live};
        const auto t = phased({.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = 3}, options);
        REQUIRE_FALSE(verify(t));
        REQUIRE_FALSE(verify_order(t));
        const std::size_t late = live == always_live ? 1 : 0;  // the shared phase is two steps
        for (std::size_t p = 0; p < t.where.stages; ++p) {
          CHECK(t.step_of({pass::forward, p, 0}) == options.forward_phase(p));
          CHECK(t.step_of({pass::backward, p, 0}) == options.backward_phase(p, t.where.stages) + late);
        }
      }
    }
  }
}

TEST_CASE("parallel phases alternate between even and odd IPUs") {
  CHECK_FALSE(phased({.ipus = 2, .stages_per_ipu = 3, .micro_batches = 1}, {.parallel = true}).refused);
  CHECK(phased_options{.parallel = true}.phases(6) == 6);
  CHECK(phased({.ipus = 3, .stages_per_ipu = 2, .micro_batches = 1}, {.parallel = true}).refused.kind ==
        schedule_wrong::phase_on_wrong_ipu);
  constexpr phased_options parallel{.live = liveness::off_chip_after_forward, .parallel = true};
  CHECK_FALSE(phased(devices(0, on_ipus(1, 3), 2, 5), micro_batches<2>, mode::training, parallel).refused);
  CHECK(phased(devices(0, on_ipus(1, 2), 2, 5), micro_batches<2>, mode::training, parallel).refused.where ==
        place{.ipu = 2, .stage = 1});
  using enum liveness;
  CHECK_FALSE(phased({.ipus = 2, .micro_batches = 1}, {.live = off_chip_after_forward, .parallel = true}).refused);
  for (const liveness spaced : {off_chip_after_forward_no_overlap, off_chip_after_each_phase}) {
    CHECK(phased({.ipus = 2, .micro_batches = 1}, {.live = spaced, .parallel = true}).refused.kind ==
          schedule_wrong::strategy_is_serial);
  }
}

}  // namespace phased_test
