// SPDX-License-Identifier: BSL-1.0
// The floor of a stream: what four empty stages cost on one thread beside a loop written by hand that calls the four, and
// on two threads beside the one hop through a ring that they cannot do without, for items of 8 B, of 64 B and vectors of eight
// words, which a source allocates and a sink frees. All take turns in short runs, and of each the shortest counts, without
// its start.
//   stream_bench [seconds, 20 if not given]
#include "seconds.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/queue.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/stream.hpp>
#include <ipuflow/schedule.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef IPUFLOW_BENCH_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#endif

using namespace ipuflow;
using clock_type = std::chrono::steady_clock;

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

/// Gives so many items, and looks at the clock when a fifth of them is gone: until then threads may be on their way.
template <class Item>
struct counting_source {
  word items = 0;
  word next = 0;
  clock_type::time_point start{};

  std::optional<Item> operator()() {
    if (next == items / 5) [[unlikely]] start = clock_type::now();
    return next < items ? std::optional<Item>{make<Item>(next++)} : std::nullopt;
  }
  double nanoseconds_an_item() const {
    const std::chrono::duration<double, std::nano> took = clock_type::now() - start;
    return took.count() / static_cast<double>(items - items / 5);
  }
};

/// Calls `run(source, sink)`.
template <class Item, class Run>
double measure(word items, Run run) {
  counting_source<Item> source{items};
  word sum = 0;
  const auto sink = [&](Item item) { sum += first_word(item); };
  run(source, sink);
  asm volatile("" : : "r"(sum));
  return source.nanoseconds_an_item();
}

/// As a function that is handed a source and a sink, like a run; and where both are written, with what they count in registers.
template <class Source, class Sink>
[[gnu::noinline]] void loop(Source& source, Sink& sink) {
  constexpr empty_stage a, b, c, d;
  while (auto item = source()) sink(d(c(b(a(*std::move(item))))));
}
template <class Item>
double by_hand(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) { loop(source, sink); });
}
template <class Item>
double in_place(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) {
    constexpr empty_stage a, b, c, d;
    while (auto item = source()) sink(d(c(b(a(*std::move(item))))));
  });
}

template <class Item, std::size_t Threads>
double ours(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) {
    constexpr auto& p = four_stages<Item>;
    run::on_threads(p, schedule::inference(p, micro_batches<1'000'000'000>), source, sink, {.threads = Threads, .capacity = capacity});
  });
}

/// The same without a description of its own.
template <class Item, std::size_t Threads>
double streamed(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) {
    constexpr empty_stage each;
    run::stream({.threads = Threads, .capacity = capacity}, source, each, each, each, each, sink);
  });
}

/// One hop: the source on one core, the sink on the other.
template <class Item>
double hop(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) {
    queue::spsc_ring<Item> ring{capacity};
    std::atomic<bool> ended{false};
    const std::jthread other{[&] {
      Item item{};
      for (;;) {
        while (!ring.try_pop(item)) {
          if (ended.load(std::memory_order_acquire) && ring.readable() == 0) return;  // partner: the release below
          queue::relax();
        }
        sink(std::move(item));
      }
    }};
    while (auto item = source()) {
      while (!ring.try_push(*std::move(item))) queue::relax();
    }
    ended.store(true, std::memory_order_release);  // partner: the acquire above
  });
}

#ifdef IPUFLOW_BENCH_TBB
template <class Item, std::size_t Threads>
double one_tbb(word items) {
  return measure<Item>(items, [](auto& source, const auto& sink) {
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
  const word items = std::is_same_v<Item, vector_of_words> ? 20'000 : 100'000;
  made.all.push_back({"a loop by hand, a function", items, by_hand<Item>});
  made.all.push_back({"a loop by hand, in place", items, in_place<Item>});
  made.all.push_back({"4 stages, 1 thread", items, ours<Item, 1>});
  made.all.push_back({"`run::stream`, 1 thread", items, streamed<Item, 1>});
  made.all.push_back({"one hop of `spsc_ring`", items, hop<Item>});
  made.all.push_back({"4 stages, 2 threads", items, ours<Item, 2>});
  made.all.push_back({"`run::stream`, 2 threads", items, streamed<Item, 2>});
#ifdef IPUFLOW_BENCH_TBB
  made.all.push_back({"oneTBB, 4 filters, 1 thread", items / 10, one_tbb<Item, 1>});
  made.all.push_back({"oneTBB, 4 filters, 2 threads", items / 10, one_tbb<Item, 2>});
#endif
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::seconds wanted = bench::seconds_given(argc, argv);
  std::vector<contest> contests{contest_of<word>("8 B"), contest_of<line_of_words>("64 B"), contest_of<vector_of_words>("`std::vector`")};
  const auto end = clock_type::now() + wanted;
  do {
    for (contest& of : contests) {
      for (contestant& c : of.all) c.best = std::min(c.best, c.run(c.items));
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
  return bench::written();
}
