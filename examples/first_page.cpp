// SPDX-License-Identifier: BSL-1.0
// The smallest page: what two host threads did, beside the timetable that they were given. Writes the page.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/report/page/schedule_part.hpp>
#include <ipuflow/report/page/threads_part.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

using namespace ipuflow;

int sleep_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
  return milliseconds;
}

constexpr auto sleepers = pipeline(stage(block<"first">(sleep_for)).ipu<0>(), stage(block<"second">(sleep_for)).ipu<1>());

int main() {
  run::trace events{1000};  // at most so many operations
  int item = 0;
  const auto source = [&] { return item < 20 ? std::optional{item++ % 3} : std::nullopt; };
  const auto timetable = schedule::inference(sleepers, micro_batches<20>);
  run::on_threads(sleepers, timetable, source, [](int) {}, {.threads = 2, .events = &events});
  report::save_file("page.html", [&](auto& out) {
    report::page(out, {.title = "Two sleepers"}, report::part("on threads", events, timetable), report::part("as planned", timetable));
  });
  std::printf("%zu operations in page.html\n", events.events().size());
}
// end: whole
