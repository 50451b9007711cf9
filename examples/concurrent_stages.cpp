// SPDX-License-Identifier: BSL-1.0
// Concurrent stages: two searches look at the same picture at the same time, each on an IPU and a thread of its own, and the
// stage behind them gets what both have found. A trace shows when and where every operation ran.
#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

using namespace ipuflow;

// begin: meeting
std::atomic<int> faces_at{0};
std::atomic<int> plates_at{0};

/// Each search waits until the other one has begun the same picture: that ends only if they run at the same time.
int search(int picture, std::atomic<int>& mine, const std::atomic<int>& other, int step) {
  mine = picture;
  while (other < picture) std::this_thread::yield();
  return picture % step;
}

constexpr auto camera = pipeline(
    stage(block<"decode">([](int number) { return number * 10; })).ipu<0>(),
    concurrent(stage(block<"faces">([](const int& picture) { return search(picture, faces_at, plates_at, 3); })).ipu<1>(),
               stage(block<"plates">([](const int& picture) { return search(picture, plates_at, faces_at, 7); })).ipu<2>()),
    stage(block<"merge">([](int faces, int plates) { return 100 * faces + plates; })).ipu<3>());
// end: meeting

int main() {
  // begin: run
  constexpr auto timetable = schedule::grouped(inference(camera), micro_batches<60>);
  run::trace events{operations(timetable)};
  std::vector<int> found;
  int next = 1;
  run::on_threads(camera, timetable, [&] { return std::optional<int>{next++}; }, [&](int both) { found.push_back(both); },
                  {.threads = 4, .events = &events});
  // end: run

  bool right = found.size() == 60;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int picture = static_cast<int>(i + 1) * 10;
    right = right && found[i] == 100 * (picture % 3) + picture % 7;
  }
  // begin: trace
  std::vector<run::event> searches;
  std::size_t together = 0;
  for (const run::event& e : events.events()) {
    if (e.what.stage == 1) searches.push_back(e);
  }
  for (const run::event& faces : searches) {
    for (const run::event& plates : searches) {
      if (faces.ipu != 1 || plates.ipu != 2 || faces.what.micro_batch != plates.what.micro_batch) continue;
      together += faces.start < plates.finish && plates.start < faces.finish ? 1u : 0u;
    }
  }
  std::printf("%zu results, %s; %zu operations, %zu pictures searched for both at the same time\n", found.size(),
              right ? "all as expected" : "not as expected", events.events().size(), together);
  // end: trace
  return right && together == 60 ? EXIT_SUCCESS : EXIT_FAILURE;
}
