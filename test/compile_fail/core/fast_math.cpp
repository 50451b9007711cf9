// SPDX-License-Identifier: BSL-1.0
// Arithmetic that takes every number to be finite.
// flags: -ffast-math
// expect: ipuflow: a value that is infinite or no number would be found no more; compile without -ffast-math, -Ofast and -ffinite-math-only
#include <ipuflow/core.hpp>
