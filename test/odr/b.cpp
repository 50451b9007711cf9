// SPDX-License-Identifier: BSL-1.0
// One of two units that include everything: a function or variable that is not inline fails to link.
#include <ipuflow/ipuflow.hpp>

int b();
int b() { return 0; }
