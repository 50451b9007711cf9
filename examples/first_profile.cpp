// SPDX-License-Identifier: BSL-1.0
// The smallest profile: callables on host threads, and a picture of what each thread did when. Writes the picture.
// begin: whole
#include <ipuflow/graph.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
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
  const auto timetable = schedule::inference(sleepers, micro_batches<1000>);  // at most
  run::on_threads(sleepers, timetable, source, [](int) {}, {.threads = 2, .events = &events});
  report::save_file("timeline.svg", [&](auto& out) { out << report::timeline_svg(events); });
  std::printf("%zu operations in timeline.svg\n", events.events().size());
}
// end: whole
