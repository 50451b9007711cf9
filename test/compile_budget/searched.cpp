// SPDX-License-Identifier: BSL-1.0
// The search for a schedule of 4 IPUs and 8 micro-batches in a constant expression, with the default limits of the compiler.
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/search/search.hpp>

using namespace ipuflow;

constexpr schedule::grid where{.ipus = 4, .stages = 4, .micro_batches = 8};
static_assert(schedule::search(where, schedule::costs{4, 5, 3, 1}, {{3, -2, -1}, 15}, {.iterations = 1}).span <= 130);
