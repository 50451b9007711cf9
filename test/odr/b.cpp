// SPDX-License-Identifier: BSL-1.0
// The other unit that includes everything, in C++23: standard libraries have fewer headers within headers there.
#include <ipuflow/ipuflow.hpp>

int b();
int b() { return 0; }
