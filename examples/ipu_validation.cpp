// SPDX-License-Identifier: BSL-1.0
// Predictions for published measurements, row by row: the table of docs/chips.md, the errors of each class of programs, and the
// constants that are fitted. Ends with 1 if errors are not those that plans print beside their figures.
#include <validation/table.hpp>

#include <cstdio>

int main() { return validation::print_table(stdout, validation::rows()) ? 0 : 1; }
