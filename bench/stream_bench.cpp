// SPDX-License-Identifier: BSL-1.0
// The floor of a stream: what four empty stages cost on one thread beside a loop written by hand that calls the four, and
// on two threads beside the one hop through a ring that they cannot do without, for items of 8 B, of 64 B and vectors of eight
// words, which a source allocates and a sink frees. All take turns in short runs of equally many items, and of each the
// shortest counts. Threads are started beforehand only for the hop, so runs are long enough to hide that.
//   stream_bench [seconds, 20 if not given]
#include "queue/two_cores.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/queue.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef IPUFLOW_BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#endif

using namespace ipuflow;
using queue_bench::clock_type;

namespace {

using word = std::uint64_t;
using line_of_words = std::array<word, 8>;
using vector_of_words = std::vector<word>;

/// Both directions for each kind of item: made of a number, and its first word.
template <class Item>
Item make(word i) {
  if constexpr (std::is_same_v<Item, word>) {
    return i;
  } else if constexpr (std::is_same_v<Item, line_of_words>) {
    return {i, i, i, i, i, i, i, i};
  } else {
    return Item(8, i);
  }
}
word& first_word(word& item) { return item; }
template <class Words>
word& first_word(Words& item) {
  return item[0];
}

/// Adds one, where the compiler sees it but cannot join it with the next one.
struct empty_stage {
  template <class Item>
  Item operator()(Item item) const {
    word& first = first_word(item);
    ++first;
    asm volatile("" : "+r"(first));
    return item;
  }
};

template <class Item>
constexpr auto four_stages =
    pipeline(input<Item>, stage(block<"a">(empty_stage{})).template ipu<0>(), stage(block<"b">(empty_stage{})).template ipu<1>(),
             stage(block<"c">(empty_stage{})).template ipu<2>(), stage(block<"d">(empty_stage{})).template ipu<3>());

constexpr std::size_t capacity = 1024;  // of every ring

/// Calls `run(source, sink)`.
template <class Item, class Run>
double nanoseconds_of(word items, Run run) {
  word next = 0;
  word sum = 0;
  const auto start = clock_type::now();
  run([&] { return next < items ? std::optional<Item>{make<Item>(next++)} : std::nullopt; },
      [&](Item item) { sum += first_word(item); });
  const std::chrono::duration<double, std::nano> took = clock_type::now() - start;
  asm volatile("" : : "r"(sum));
  return took.count();
}

template <class Item>
double by_hand(word items) {
  return nanoseconds_of<Item>(items, [](auto source, auto sink) {
    constexpr empty_stage a, b, c, d;
    while (auto item = source()) sink(d(c(b(a(*std::move(item))))));
  });
}

template <class Item, std::size_t Threads>
double ours(word items) {
  constexpr auto& p = four_stages<Item>;
  return nanoseconds_of<Item>(items, [](auto source, auto sink) {
    run::on_threads(p, schedule::inference(p, micro_batches<1'000'000'000>), source, sink, {.threads = Threads, .capacity = capacity});
  });
}

/// One hop: the source on one core, the sink on the other.
template <class Item>
double hop(word items) {
  double took = 0;
  std::jthread{[&] {  // pins itself to a core
    queue::spsc_ring<Item> ring{capacity};
    took = queue_bench::nanoseconds_of(
        [&] {
          for (word i = 0; i < items; ++i) {
            Item item = make<Item>(i);
            while (!ring.try_push(std::move(item))) queue::relax();
          }
        },
        [&] {
          word sum = 0;
          Item item{};
          for (word i = 0; i < items; ++i) {
            while (!ring.try_pop(item)) queue::relax();
            sum += first_word(item);
          }
          asm volatile("" : : "r"(sum));
        });
  }}.join();
  return took;
}

#ifdef IPUFLOW_BENCH_TBB
template <class Item, std::size_t Threads>
double one_tbb(word items) {
  return nanoseconds_of<Item>(items, [](auto source, auto sink) {
    const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, Threads};
    constexpr auto in_order = tbb::filter_mode::serial_in_order;
    const auto first = tbb::make_filter<void, Item>(in_order, [&](tbb::flow_control& control) -> Item {
      auto item = source();
      if (!item) return control.stop(), Item{};
      return empty_stage{}(*std::move(item));
    });
    const auto middle = tbb::make_filter<Item, Item>(in_order, empty_stage{});
    const auto last = tbb::make_filter<Item, void>(in_order, [&](Item item) { sink(empty_stage{}(std::move(item))); });
    tbb::parallel_pipeline(16, first & middle & middle & last);
  });
}
#endif

struct contestant {
  const char* name;
  word items;
  double (*run)(word);
  double best = std::numeric_limits<double>::max();
};
struct contest {
  const char* item;
  std::vector<contestant> all;
};

template <class Item>
contest contest_of(const char* name) {
  contest made{name, {}};
  made.all.push_back({"a loop by hand", 500'000, by_hand<Item>});
  made.all.push_back({"4 stages, 1 thread", 500'000, ours<Item, 1>});
  made.all.push_back({"one hop of `spsc_ring`", 500'000, hop<Item>});
  made.all.push_back({"4 stages, 2 threads", 500'000, ours<Item, 2>});
#ifdef IPUFLOW_BENCH_TBB
  made.all.push_back({"oneTBB, 4 filters, 1 thread", 20'000, one_tbb<Item, 1>});
  made.all.push_back({"oneTBB, 4 filters, 2 threads", 20'000, one_tbb<Item, 2>});
#endif
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string{argv[1]}.starts_with("--");  // as a test it only has to start and finish
  const std::chrono::seconds wanted{smoke ? 0 : argc > 1 ? std::atoi(argv[1]) : 20};
  std::vector<contest> contests{contest_of<word>("8 B"), contest_of<line_of_words>("64 B"), contest_of<vector_of_words>("`std::vector`")};
  const auto end = clock_type::now() + wanted;
  do {
    for (contest& of : contests) {
      for (contestant& c : of.all) c.best = std::min(c.best, c.run(c.items) / static_cast<double>(c.items));
    }
  } while (clock_type::now() < end);
  std::printf("| ns an item |");
  for (const contest& of : contests) std::printf(" %s |", of.item);
  std::printf("\n|---|---|---|---|\n");
  for (std::size_t i = 0; i < contests[0].all.size(); ++i) {
    std::printf("| %s |", contests[0].all[i].name);
    for (const contest& of : contests) std::printf(" %.2f |", of.all[i].best);
    std::printf("\n");
  }
}
