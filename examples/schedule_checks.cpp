// SPDX-License-Identifier: BSL-1.0
// What one can know about a schedule before anything runs, and have the compiler check at every build.
#include <ipuflow/graph.hpp>
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/schedule.hpp>

#include <iostream>

using namespace ipuflow;

// begin: pipeline
constexpr auto scale = [](float x) { return 2.0f * x; };

constexpr auto model = pipeline(input<float>,
    stage(block<"B1">(scale)).ipu<0>(), stage(block<"B2">(scale)).ipu<1>(),
    stage(block<"B3">(scale)).ipu<2>(), stage(block<"B4">(scale)).ipu<3>());

constexpr auto grouped = schedule::grouped(training(model), micro_batches<16>);
static_assert(accept<schedule::verify(grouped)>());                            // complete, ordered, no deadlock
static_assert(schedule::fifo_depths(grouped) == per_stage(6, 4, 2, 0));
static_assert(schedule::in_flight(grouped) == per_stage(7, 5, 3, 1));          // 2n + 1, n stages after this one
static_assert(schedule::steady_state(grouped) == schedule::steady{7, 15});     // all IPUs busy in these steps
// end: pipeline

// begin: numbers
constexpr schedule::setup large{.ipus = 64, .micro_batches = 1'000'000};
static_assert(accept<schedule::verify(schedule::one_f_one_b(large))>());       // as cheap as for ten micro-batches
static_assert(schedule::in_flight(schedule::one_f_one_b(large))[0] == 64);
static_assert(schedule::loop_of(schedule::one_f_one_b(large), 0).code() == 2 * 64);
// end: numbers

// begin: compare
constexpr schedule::setup small{.ipus = 4, .micro_batches = 8};
static_assert(schedule::makespan(schedule::one_f_one_b(small)) == 33);
static_assert(schedule::makespan(schedule::zb1p(small)) == 27);                // the same work, fewer gaps,
static_assert(schedule::peak(schedule::zb1p(small)) == per_stage(4, 4, 4, 4)); // for the memory of the first IPU on all
static_assert(schedule::bubble(schedule::zbv(small)) < 0.06);
static_assert(schedule::makespan(schedule::interleaved_1f1b({.ipus = 4, .stages_per_ipu = 2, .micro_batches = 9})) == 63);
// end: compare

// begin: devices
constexpr auto shared = schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 0), micro_batches<6>);
static_assert(accept<schedule::verify(shared)>());
static_assert(shared.ops(0, 5).size() == 4);                                   // both stages of IPU 0 share its steps
// end: devices

// begin: own
constexpr auto mine = [] { return schedule::read_csv("0F0,0F1,,0B0,,0B1\n"
                                                     ",1F0,1B0,1F1,1B1\n"); };
static_assert(accept<schedule::verify(mine())>());
static_assert(schedule::fifo_depths(mine()) == per_stage(1, 0));
// end: own

// begin: channels
static_assert(schedule::verify_channels(schedule::one_f_one_b(small), 0).kind ==
              schedule::schedule_wrong::channel_deadlock);                     // a rendezvous stops it,
static_assert(accept<schedule::verify_channels(schedule::one_f_one_b(small), 1)>());  // room for one value does not
// end: channels

int main() {
  std::cout << report::schedule_text(schedule::tabulate(grouped));
  std::cout << "bubble " << schedule::bubble(grouped) << '\n';
}
