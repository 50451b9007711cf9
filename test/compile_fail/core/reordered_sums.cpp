// SPDX-License-Identifier: BSL-1.0
// The part of -ffast-math that reorders sums, alone, as g++ tells of it; clang does not.
// flags: -fno-signed-zeros -fno-trapping-math -fassociative-math -D__ASSOCIATIVE_MATH__=1
// expect: ipuflow: sums that round on purpose would round no more; compile without -funsafe-math-optimizations, -fassociative-math and -freciprocal-math
#include <ipuflow/core.hpp>
