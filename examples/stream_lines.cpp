// SPDX-License-Identifier: BSL-1.0
// Lines of a file through callables on the cores of this machine: parsed, filtered, gathered in batches, summed up. A line
// that is wrong is named with its stage and number.
//   stream_lines [file]
// begin: whole
#include <ipuflow/run/stream.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ipuflow;

struct request {
  std::string path;
  double milliseconds = 0;
};

request parse(const std::string& line) {
  request made;
  std::istringstream fields{line};
  if (!(fields >> made.path >> made.milliseconds)) throw std::runtime_error{"'" + line + "' is no path and time"};
  return made;
}

/// What was slow among the lines of `text`, in batches of three.
// begin: stream
void report_slow(std::istream& text) {
  const auto came = run::stream(
      run::lines_of(text),                                                 // the source
      run::filter([](const std::string& line) { return !line.empty(); }),  // stages
      block<"parse">(parse),                                               // with a name, for messages
      run::filter([](const request& r) { return r.milliseconds > 100; }),
      run::batch(3),
      [batch = 0](const std::vector<request>& slow) mutable {              // the sink
        std::printf("batch %d:", ++batch);
        for (const request& r : slow) std::printf(" %s (%g ms)", r.path.c_str(), r.milliseconds);
        std::printf("\n");
      });
  std::printf("%zu lines, %zu batches\n", came.taken, came.delivered);
}
// end: stream

int main(int count, char** arguments) {
  try {
    if (count > 1) {
      std::ifstream file{arguments[1]};
      report_slow(file);
      return 0;
    }
    std::istringstream good{"/index 12\n/search 340\n/cart 101\n\n/pay 2200\n/index 9\n/search 180\n"};
    report_slow(good);
    std::istringstream bad{"/index 12\n/search fast\n"};
    report_slow(bad);
  } catch (const error& failed) {  // a run::item_failed, or a file that cannot be read
    std::printf("%s\n", failed.what());
    return count > 1 ? 1 : 0;  // of the lines here one is no request
  }
}
// end: whole
