// SPDX-License-Identifier: BSL-1.0
// A constant that a verifier finds fault with.
// expect: ipuflow: a count would be negative in 3 - 4; compare before you subtract
#include <ipuflow/core.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
static_assert(accept<arithmetic_fault{arithmetic_wrong::negative, 3, 4}>());
#else
static_assert(accept<arithmetic_fault{arithmetic_wrong::nothing, 3, 4}>());
#endif
