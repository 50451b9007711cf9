// SPDX-License-Identifier: BSL-1.0
// Predictions for published measurements, row by row: the table of docs/chips.md, the errors of each class of programs, and the
// constants that are fitted. Ends with 1 if errors are not those that plans print beside their figures, and with 2 if it is given
// an option, as it has none, or cannot write.
#include <validation/table.hpp>

#include <cstdio>
#include <string_view>

#include <unistd.h>

int main(int count, char** arguments) {
  if (count > 1) {
    const bool asked = count == 2 && (std::string_view{arguments[1]} == "--help" || std::string_view{arguments[1]} == "-h");
    std::fprintf(asked ? stdout : stderr, "usage: %s   prints published measurements beside what is predicted for them: docs/chips.md\n", arguments[0]);
    return asked ? 0 : 2;
  }
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "every published run is counted, which takes a minute or two\n");
  const bool as_known = validation::print_table(stdout, validation::rows());
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "ipuflow: the output cannot be written; check the space where it goes\n");
    return 2;
  }
  return as_known ? 0 : 1;
}
