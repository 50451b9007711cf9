// SPDX-License-Identifier: BSL-1.0
// What a pipeline costs beside its work: nanoseconds for a token through four empty stages, and how close stages of 1 and
// 10 us on two threads come to the ideal, against oneTBB's parallel_pipeline where it is installed. The ideal are loops by hand,
// as many side by side as there are threads, that do the same stages and hand nothing on. The contestants take turns, and of
// many short runs the shortest counts, since on a busy machine the others measure its neighbours. A run starts its threads,
// which counts.
//   pipeline_bench [seconds, 20 if not given]
#include "seconds.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#ifdef IPUFLOW_BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#endif

using namespace ipuflow;
using clock_type = std::chrono::steady_clock;

namespace {

struct empty_stage {
  long operator()(long x) const { return x + 1; }
};

/// Adds so many times; how many make a microsecond is measured at the start.
long adds_a_microsecond = 0;

long add_up(long x, long times) {
  for (long i = 0; i < times; ++i) {
    x = x * 3 + 1;
    asm volatile("" : "+r"(x));
  }
  return x;
}

template <long Microseconds>
struct busy_stage {
  long operator()(long x) const { return add_up(x, Microseconds * adds_a_microsecond); }
};

double nanoseconds(const std::function<void()>& what) {
  const auto start = clock_type::now();
  what();
  return std::chrono::duration<double, std::nano>(clock_type::now() - start).count();
}

void calibrate() {
  constexpr long times = 200'000;
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < 50; ++run) {
    best = std::min(best, nanoseconds([run] {
                      long x = add_up(run, times);
                      asm volatile("" : : "r"(x));
                    }));
  }
  adds_a_microsecond = static_cast<long>(static_cast<double>(times) / best * 1000);
}

template <class Stage, std::size_t... I>
constexpr auto stages_on(std::index_sequence<I...>) {
  constexpr fixed_string<1> names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  return pipeline(input<long>, stage(block<names[I]>(Stage{})).template ipu<I>()...);
}
template <class Stage, std::size_t Count>
constexpr auto stages_of = stages_on<Stage>(std::make_index_sequence<Count>{});

template <class Stage, std::size_t Count>
void ours(long tokens, std::size_t threads) {
  constexpr auto& p = stages_of<Stage, Count>;
  constexpr auto t = schedule::inference(p, micro_batches<1'000'000'000>);
  long next = 0;
  long sum = 0;
  run::on_threads(p, t, [&] { return next < tokens ? std::optional<long>{next++} : std::nullopt; }, [&](long x) { sum += x; },
                  {.threads = threads});
  asm volatile("" : : "r"(sum));
}

#ifdef IPUFLOW_BENCH_TBB
template <class Stage>
tbb::filter<long, long> chain_of(std::size_t count) {
  tbb::filter<long, long> chain = tbb::make_filter<long, long>(tbb::filter_mode::serial_in_order, Stage{});
  for (std::size_t i = 1; i < count; ++i) {
    chain = chain & tbb::make_filter<long, long>(tbb::filter_mode::serial_in_order, Stage{});
  }
  return chain;
}

/// The first stage is in the filter that reads, the last one in the filter that writes: so many filters as stages.
template <class Stage, std::size_t Count>
void one_tbb(long tokens) {
  long next = 0;
  long sum = 0;
  const auto first = tbb::make_filter<void, long>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> long {
    if (next == tokens) return control.stop(), 0;
    return Stage{}(next++);
  });
  const auto last = tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order, [&](long x) { sum += Stage{}(x); });
  tbb::parallel_pipeline(16, first & chain_of<Stage>(Count - 2) & last);
  asm volatile("" : : "r"(sum));
}
#endif

/// The same stages without a pipeline: a loop on each thread over its share of the tokens.
template <class Stage, std::size_t Count>
void by_hand(long tokens, long threads) {
  const auto loop = [=] {
    long sum = 0;
    for (long token = 0; token < tokens / threads; ++token) {
      long x = token;
      for (std::size_t stage = 0; stage < Count; ++stage) x = Stage{}(x);
      sum += x;
    }
    asm volatile("" : : "r"(sum));
  };
  std::vector<std::jthread> others;
  for (long i = 1; i < threads; ++i) others.emplace_back(loop);
  loop();
}

struct contestant {
  std::string name;
  long tokens = 0;
  bool is_ideal = false;  ///< of those after it, until the next
  std::function<void(long)> run;
  double best = std::numeric_limits<double>::max();
};

template <long Microseconds, std::size_t Count>
void enter_busy(std::vector<contestant>& all) {
  using stage = busy_stage<Microseconds>;
  const std::string name = std::to_string(Count) + " stages of " + std::to_string(Microseconds) + " us, 2 threads, ";
  constexpr long tokens = 8000 / (Count * Microseconds);  // four milliseconds
  all.push_back({name + "loops by hand", tokens, true, [](long n) { by_hand<stage, Count>(n, 2); }});
  all.push_back({name + "ipuflow", tokens, false, [](long n) { ours<stage, Count>(n, 2); }});
#ifdef IPUFLOW_BENCH_TBB
  all.push_back({name + "oneTBB", tokens, false, [](long n) { one_tbb<stage, Count>(n); }});
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::seconds wanted = bench::seconds_given(argc, argv);
  calibrate();
  std::vector<contestant> all;
  all.push_back({"4 empty stages, 1 thread, ipuflow", 100'000, false, [](long n) { ours<empty_stage, 4>(n, 1); }});
  all.push_back({"4 empty stages, 2 threads, ipuflow", 100'000, false, [](long n) { ours<empty_stage, 4>(n, 2); }});
#ifdef IPUFLOW_BENCH_TBB
  const tbb::global_control two{tbb::global_control::max_allowed_parallelism, 2};
  all.push_back({"4 empty stages, 2 threads, oneTBB", 10'000, false, [](long n) { one_tbb<empty_stage, 4>(n); }});
#endif
  all.push_back({"4 stages of 1 us, 1 thread, a loop by hand", 1000, true, [](long n) { by_hand<busy_stage<1>, 4>(n, 1); }});
  all.push_back({"4 stages of 1 us, 1 thread, ipuflow", 1000, false, [](long n) { ours<busy_stage<1>, 4>(n, 1); }});
  enter_busy<1, 2>(all);
  enter_busy<1, 4>(all);
  enter_busy<1, 8>(all);
  enter_busy<10, 4>(all);
  const auto end = clock_type::now() + wanted;
  do {
    for (contestant& c : all) {
      c.best = std::min(c.best, nanoseconds([&] { c.run(c.tokens); }) / static_cast<double>(c.tokens));
    }
  } while (clock_type::now() < end);
  std::printf("| | ns a token | of the ideal |\n|---|---|---|\n");
  double ideal = 0;
  for (const contestant& c : all) {
    if (c.is_ideal) ideal = c.best;
    std::printf("| %s | %.1f | ", c.name.c_str(), c.best);
    ideal > 0 ? std::printf("%.1f %% |\n", 100 * ideal / c.best) : std::printf("|\n");
  }
  return bench::written();
}
