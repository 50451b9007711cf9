// SPDX-License-Identifier: BSL-1.0
// The engine of a program that ends with its line.
// expect: ipuflow: an engine runs a program that outlives it; give the program a name
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <cstddef>

using namespace ipuflow;

constexpr auto timetable = schedule::grouped({.ipus = 2, .micro_batches = 4});

plan::lowered lower(ipu::graph&, std::size_t, const plan::lowering_options&) { return {}; }

#ifdef EXPECT_FAILURE
void runs() { ipu::engine engine = run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower).engine(); }
#else
void runs() {
  const run::chips_program program = run::on_chips(timetable, ipu::pod(ipu::mk2, 2), lower);
  ipu::engine engine = program.engine();
}
#endif
