// SPDX-License-Identifier: BSL-1.0
// The part of -ffast-math that takes every number to be finite, alone.
// flags: -ffinite-math-only
// expect: ipuflow: a value that is infinite or no number would be found no more
#include <ipuflow/core.hpp>
