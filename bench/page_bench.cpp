// SPDX-License-Identifier: BSL-1.0
// Writing a page: of a trace on threads with a million operations, all of its columns with reasons and causes, compressed and in
// base64; and the parts of that work.
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/report/page/threads_part.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace ipuflow;

namespace {

/// A pipeline of 16 stages whose passes take times that no two have in common, run after run.
run::trace traced(std::size_t operations) {
  constexpr std::size_t stages = 16, micro_batches = 64;
  run::trace made{operations};
  const std::chrono::steady_clock::time_point origin{std::chrono::seconds{1}};
  auto pens = made.pens(1);
  std::uint64_t random = 1, begin = 0;
  for (std::size_t count = 0; count < operations; begin += 200'000) {
    for (std::size_t pass = 0; pass < 2; ++pass) {
      for (std::size_t m = 0; m < micro_batches; ++m) {
        for (std::size_t i = 0; i < stages && count < operations; ++i, ++count) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          const std::size_t stage = pass == 0 ? i : stages - 1 - i;
          const std::uint64_t start = begin + (pass * (micro_batches + stages) + m + i) * 1200, length = 900 + (random >> 40) % 300;
          const auto at = [&](std::uint64_t time) { return origin + std::chrono::nanoseconds{time}; };
          pens[0].note({{pass == 0 ? schedule::pass::forward : schedule::pass::backward, stage, m}, stage, stage % 2, at(start), at(start + length)});
        }
      }
    }
  }
  made.collect(pens);
  return made;
}

/// A stream that counts what it is given.
struct counting_stream {
  std::size_t bytes = 0;
  counting_stream& operator<<(std::string_view text) {
    bytes += text.size();
    return *this;
  }
};

void page_of_a_trace(benchmark::State& state) {
  const run::trace events = traced(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    counting_stream out;
    report::page(out, {.title = "a trace"}, report::part("threads", events));
    bytes = out.bytes;
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(page_of_a_trace)->Arg(1'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void gzip_of_columns(benchmark::State& state) {
  report::page_builder page;
  page.add("threads", traced(static_cast<std::size_t>(state.range(0))));
  const std::string data = page.data();
  std::size_t bytes = 0;
  for (auto _ : state) bytes = report::gzip(data).size();
  state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<std::size_t>(state.iterations()) * data.size()));
  state.counters["part"] = static_cast<double>(bytes) / static_cast<double>(data.size());
}
BENCHMARK(gzip_of_columns)->Arg(100'000)->Unit(benchmark::kMillisecond);

void timeline_of_a_trace(benchmark::State& state) {
  const run::trace events = traced(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(report::timeline_of(events).slices.data());
}
BENCHMARK(timeline_of_a_trace)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
