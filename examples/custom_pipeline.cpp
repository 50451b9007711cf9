// SPDX-License-Identifier: BSL-1.0
// No neural network: frames of a camera pass four stages on four IPUs, which two threads carry out in the order of a
// timetable. What comes out is what the pipeline gives in place, in order; a stage that throws is named.
#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <vector>

using namespace ipuflow;

struct frame {
  int number = 0;
  std::vector<int> pixels;
};

struct summary {
  int number = 0;
  int bright = 0;

  friend bool operator==(const summary&, const summary&) = default;
};

// begin: stages
frame expose(int number) {
  frame taken{number, std::vector<int>(640)};
  for (std::size_t i = 0; i < taken.pixels.size(); ++i) taken.pixels[i] = static_cast<int>(i * 7) * number % 256;
  return taken;
}

frame denoise(frame f) {
  for (std::size_t i = 1; i < f.pixels.size(); ++i) f.pixels[i] = (f.pixels[i - 1] + f.pixels[i]) / 2;
  return f;
}

frame contrast(frame f) {
  if (f.number == 666) throw std::runtime_error{"the sensor is saturated"};
  for (int& pixel : f.pixels) pixel = pixel < 128 ? pixel / 2 : pixel;
  return f;
}

summary count(const frame& f) {
  summary s{f.number, 0};
  for (const int pixel : f.pixels) s.bright += pixel > 128 ? 1 : 0;
  return s;
}

constexpr auto camera = pipeline(
    stage(block<"expose">(expose)).ipu<0>(), stage(block<"denoise">(denoise)).ipu<1>(),
    stage(block<"contrast">(contrast)).ipu<2>(), stage(block<"count">(count)).ipu<3>());
// end: stages

int main() {
  // begin: run
  constexpr auto timetable = schedule::inference(camera, micro_batches<1'000'000>);  // at most
  static_assert(accept<run::verify(camera, timetable)>());

  int next = 0;
  std::vector<summary> seen;
  const auto source = [&] { return next < 500 ? std::optional<int>{next++} : std::nullopt; };
  const auto sink = [&](summary s) { seen.push_back(s); };
  const auto came = run::on_threads(camera, timetable, source, sink, {.threads = 2});
  // end: run

  std::size_t same = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) same += seen[i] == camera(static_cast<int>(i)) ? 1u : 0u;
  std::printf("%zu frames in, %zu out, %zu in their place and as computed there\n", came.taken, came.delivered, same);
  std::printf("frame 3 has %d bright pixels, frame 499 has %d\n", seen[3].bright, seen[499].bright);

  // begin: failure
  const auto endless = [&] { return std::optional<int>{next++}; };
  try {
    run::on_threads(camera, timetable, endless, [](summary) {});
  } catch (const run::stage_failed& failed) {
    std::printf("%s\n", failed.what());  // stage, pass, micro-batch and what the stage said
  }
  // end: failure

  // begin: stop
  std::stop_source stop;
  std::size_t results = 0;
  next = 0;
  const auto until_ten = [&](summary) {
    if (++results == 10) stop.request_stop();
  };
  const auto stopped = run::on_threads(camera, timetable, endless, until_ten, {.stop = stop.get_token()});
  std::printf("stopped: nothing lost: %s\n", stopped.taken == stopped.delivered ? "yes" : "no");
  // end: stop
  return same == 500 && stopped.taken == stopped.delivered ? EXIT_SUCCESS : EXIT_FAILURE;
}
