// SPDX-License-Identifier: BSL-1.0
// One chip where a system of them belongs.
// expect: ipuflow: a timetable runs on a system of chips; give ipu::pod\(chip, n\)
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <cstddef>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 4});

plan::lowered lower(ipu::graph&, std::size_t, const plan::lowering_options&) { return {}; }

#ifdef EXPECT_FAILURE
auto program() { return run::on_chips(timetable, ipu::mk2, lower); }
#else
auto program() { return run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower); }
#endif
