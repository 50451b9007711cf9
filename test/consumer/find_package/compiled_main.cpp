// SPDX-License-Identifier: BSL-1.0
// Compiled once or in every file, also within a shared library, mixed in one program: the same numbers.
#include <vector>

std::vector<float> trained_header_only();
std::vector<float> trained_compiled();
std::vector<float> trained_in_shared();

int main() { return trained_header_only() == trained_compiled() && trained_in_shared() == trained_compiled() ? 0 : 1; }
