// SPDX-License-Identifier: BSL-1.0
// A stage is lowered to one step and not to its passes.
// expect: ipuflow: a run on chips cannot lower its stages with this; give a function of \(ipu::graph&, stage, plan::lowering_options\) that returns a plan::lowered
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <cstddef>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 4});

#ifdef EXPECT_FAILURE
ipu::step lower(ipu::graph&, std::size_t, const plan::lowering_options&) { return {}; }
#else
plan::lowered lower(ipu::graph&, std::size_t, const plan::lowering_options&) { return {}; }
#endif

auto program() { return run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower); }
