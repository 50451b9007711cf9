// SPDX-License-Identifier: BSL-1.0
// On tiles, too, what a network learns does not depend on the timetable: every one gives what host threads give.
#include "chips_check.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace on_chips_schedules_test {

using namespace ipuflow;

namespace {

constexpr auto loop = regroup(test::small_network, stage<"a">().ipu<0>(), stage<"b">().ipu<1>(), stage<"c">().ipu<0>(),
                              stage<"d">().ipu<1>());

/// Trains by every schedule of the library that allows these sizes, and gives their number.
template <class P>
std::size_t check_all(const P& pipeline, const schedule::setup& asked) {
  std::size_t count = 0;
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::table t = schedule::with_schedule(name, asked, [](const auto& made) { return schedule::tabulate(made); });
    if (t.refused || t.run_for == mode::inference || t.where.stages != P::stage_count) continue;
    CAPTURE(std::string{name});
    train::options o = test::small_options(3);
    o.outputs = feed::output_mode::all;
    test::check_on_chips(pipeline, t, o, {}, 2e-5);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Every schedule with a stage on each chip; in two directions each half of the micro-batches has chips of its own") {
  CHECK(check_all(test::small_network, schedule::setup_of(test::small_network, 8)) >= 14);
}

TEST_CASE("Every schedule with several stages on a chip") { CHECK(check_all(loop, schedule::setup{2, 2, 8}) >= 11); }

TEST_CASE("Stages that are unevenly placed") {
  constexpr auto uneven = regroup(test::small_network, stage<"a">().ipu<0>(), stage<"b">().ipu<0>(), stage<"c">().ipu<2>(),
                                  stage<"d">().ipu<0>());
  const auto o = test::small_options(3);
  test::check_on_chips(uneven, schedule::gpipe(uneven, micro_batches<8>), o);
  test::check_on_chips(uneven, schedule::one_f_one_b(uneven, micro_batches<8>), o);
  CHECK(test::trained(uneven, schedule::one_f_one_b(uneven, micro_batches<8>), o) ==
        test::trained(test::small_network, schedule::one_f_one_b(test::small_network, micro_batches<8>), o));
}

TEST_CASE("With activations made again, one step before or within the backward: masks and statistics stay") {
  using enum schedule::recomputation;
  const auto o = test::small_options(3);
  test::check_on_chips(test::small_network,
                       schedule::grouped(test::small_network, micro_batches<8>, {.recompute = automatic}), o);
  test::check_on_chips(test::small_network, schedule::interleaved(test::small_network, micro_batches<8>, automatic), o);
  const auto within = schedule::sequential(test::small_network, micro_batches<8>, automatic);
  const train::adamw optimiser{.rate = 1e-2f, .epsilon = 1e-3f};
  train::session host{test::small_network, within, optimiser, o};
  train::session tiles{test::small_network, within, optimiser, o,
                       on::chips{.system = test::small_system(4), .checked = true}};
  test::check_steps(host, tiles, 2, 2e-5);
}

TEST_CASE("On threads a timetable written out in two directions trains on all of its micro-batches, too") {
  const schedule::setup asked = schedule::setup_of(test::small_network, 8);
  for (const std::string name : {"dualpipe", "chimera"}) {
    CAPTURE(name);
    schedule::with_schedule(name, asked, [](const auto& made) {
      const schedule::table written = schedule::tabulate(made);
      CHECK(written.where.directions() == 2);
      CHECK(test::trained(test::small_network, written, test::small_options()) ==
            test::trained(test::small_network, made, test::small_options()));
    });
  }
}

TEST_CASE("Chips that wait for neighbours only learn the same, to the bit where as many tiles compute") {
  const auto t = schedule::tabulate(schedule::zb1p(schedule::setup_of(test::small_network, 8)));
  const train::adamw optimiser{.rate = 1e-2f, .epsilon = 1e-3f};
  const auto o = test::small_options(3);
  const on::chips freely{.system = test::small_system(4), .io_tiles = 2, .sync = run::waits_for::neighbours};
  on::chips together = freely;
  together.io_tiles = 0;
  together.system.chip.tiles -= freely.io_tiles;
  together.sync = run::waits_for::all_chips;
  train::session in_step{test::small_network, t, optimiser, o, together};
  train::session free{test::small_network, t, optimiser, o, freely};
  test::check_steps(in_step, free, 2, 2e-5);
  CHECK(*in_step.parameters() == *free.parameters());
  CHECK(free.profile().chips == free.cost().chips);
}

}  // namespace on_chips_schedules_test
