// SPDX-License-Identifier: BSL-1.0
// The smallest user: the umbrella compiles and links in a project that is not ours.
#include <ipuflow/ipuflow.hpp>

int main() {}
