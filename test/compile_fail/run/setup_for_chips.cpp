// SPDX-License-Identifier: BSL-1.0
// A set-up where the timetable belongs.
// expect: ipuflow: chips are to run something that is no timetable; give what a generator of schedule returns
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <cstddef>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto timetable = schedule::setup{.ipus = 2, .micro_batches = 4};
#else
constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 4});
#endif

plan::lowered lower(ipu::graph&, std::size_t, const plan::lowering_options&) { return {}; }

auto program() { return run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower); }
