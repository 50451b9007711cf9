// SPDX-License-Identifier: BSL-1.0
// The rings of this library against what else there is, two threads pinned to two cores. The bare round trip of one
// cache line is measured before and after every run, since a host may move virtual cores apart; a table has ratios within
// one state of the machine. For the tables of docs/queues.md, everything in random order for a minute:
//   queue_bench --table
// `--table=300` measures for that many seconds; without it, the program takes the options of Google Benchmark. A time is that of an item,
// in nanoseconds; the time of the processor is that of a whole run.
#include "queue/contestants.hpp"
#include "queue/contests.hpp"
#include "queue/slots.hpp"
#include "queue/workloads.hpp"
#include "seconds.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

using namespace queue_bench;

namespace {

template <template <class> class Queue>
void enter_queue(std::size_t capacity, const std::string& workload) {
  constexpr std::size_t slow = requires { Queue<std::uint64_t>::slow; } ? 32 : 1;
  constexpr std::size_t count = (std::size_t{1} << 19) / slow;  // not just the first filling of the larger ring
  const char* const name = Queue<std::uint64_t>::name;
  if (workload == "8 B")
    enter(workload + ", " + std::to_string(capacity), name,
          [=] { return singles<Queue<std::uint64_t>, std::uint64_t>(capacity, count); });
  if (workload == "64 B")
    enter(workload + ", " + std::to_string(capacity), name,
          [=] { return singles<Queue<line_item>, line_item>(capacity, count / 2); });
  if constexpr (requires(Queue<line_item>& q) { q.push_bulk(1); }) {
    if (workload == "8 B bulk")
      enter(workload + ", " + std::to_string(capacity), name,
            [=] { return bulks<Queue<std::uint64_t>>(capacity, count); });
    if (workload == "64 B bulk")
      enter(workload + ", " + std::to_string(capacity), name,
            [=] { return bulks<Queue<line_item>>(capacity, count / 2); });
  }
  if (workload == "round trip") enter(workload, name, [=] { return round_trips<Queue<std::uint64_t>>(1000); });
}

void enter_all() {
  for (const std::size_t capacity : {std::size_t{1024}, std::size_t{65536}}) {
    for (const char* const workload : {"8 B", "64 B", "8 B bulk", "64 B bulk", "round trip"}) {
      if (workload == std::string{"round trip"} && capacity != 1024) continue;
      enter_queue<ours>(capacity, workload);
      enter_queue<our_channel>(capacity, workload);
      enter_queue<boost_spsc>(capacity, workload);
      if (capacity == 1024) enter_queue<boost_1024>(capacity, workload);
      if (capacity == 65536) enter_queue<boost_65536>(capacity, workload);
#ifdef IPUFLOW_BENCH_READERWRITERQUEUE
      enter_queue<reader_writer>(capacity, workload);
#endif
#ifdef IPUFLOW_BENCH_CONCURRENTQUEUE
      enter_queue<many_to_many>(capacity, workload);
#endif
#ifdef IPUFLOW_BENCH_TBB
      enter_queue<tbb_bounded>(capacity, workload);
#endif
    }
  }
  enter("64 KiB slots, 16", "`slot_ring`, in place", [] { return our_slots(false, 300); });
  enter("64 KiB slots, 16", "`slot_ring`, one copy", [] { return our_slots(true, 300); });
  enter("64 KiB slots, 16", "`feed::infeed`, in place", [] { return infeed_slots<recipe>(300); });
  enter("64 KiB slots, 16", "`feed::infeed`, one copy", [] { return infeed_slots<content>(300); });
  enter("64 KiB slots, 16", "Boost.Lockfree, of indices", [] { return boost_slots(300); });
}

void register_all() {
  for (const entry& e : entries) {
    benchmark::RegisterBenchmark((e.in->workload + "/" + e.name).c_str(),
                                 [&e](benchmark::State& state) {
                                   for (auto _ : state) state.SetIterationTime(measure(e) * 1e-9);
                                 })
        ->UseManualTime()
        ->Iterations(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option{argc == 2 ? argv[1] : ""}, table = "--table";
  if (option == "--help") std::printf("queue_bench --table[=<seconds, 60 if not given>], or, without the tables of a page:\n");
  if (cores() < 2) {
    std::fprintf(stderr, "two threads are pinned to two cores, and this process has one; run it where it has two\n");
    return 2;
  }
  enter_all();
  if (option == table) {
    measure_for(std::chrono::seconds{60});
  } else if (option.starts_with("--table=")) {
    measure_for(bench::seconds_of(option.substr(table.size() + 1)));
  } else {
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return bench::written();
  }
  print_tables();
  return bench::written();
}
