// SPDX-License-Identifier: BSL-1.0
// Exceptions that are switched off.
// flags: -fno-exceptions
// expect: ipuflow: faults are reported by exceptions, which are switched off; compile without -fno-exceptions
#include <ipuflow/core.hpp>
