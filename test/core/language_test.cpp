// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/language.hpp>

// A command line that it has nothing to say of; `compile_fail/core` has the others.
static_assert(__cplusplus >= 202002L);
