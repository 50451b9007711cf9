// SPDX-License-Identifier: BSL-1.0
// The search for a schedule of 4 IPUs and 8 micro-batches in a constant expression, with the default limits of the compiler: within
// roomy memory, or with -DMICRO_BATCHES_KEPT=1 within that of as many micro-batches.
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/search/search.hpp>

using namespace ipuflow;

#if !defined(MICRO_BATCHES_KEPT)
#define MICRO_BATCHES_KEPT 5
#endif

constexpr schedule::grid where{.ipus = 4, .stages = 4, .micro_batches = 8};
static_assert(schedule::search(where, schedule::costs{4, 5, 3, 1}, {{3, -2, -1}, 3 * MICRO_BATCHES_KEPT}, {.iterations = 1}).span <=
              (MICRO_BATCHES_KEPT >= 5 ? 130 : 360));
