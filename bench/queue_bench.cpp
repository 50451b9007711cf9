// SPDX-License-Identifier: BSL-1.0
// The rings of this library against what else there is, two threads pinned to two cores. The bare round trip of one
// cache line is measured before and after every run, since a host may move virtual cores apart; the table at the end
// has ratios within one state of the machine. For the table of docs/queues.md, everything in random order for a minute:
//   queue_bench --table
// `--table=300` measures for that many seconds; without it, the program takes the options of Google Benchmark.
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/queue.hpp>

#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sched.h>
#include <boost/lockfree/spsc_queue.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if __has_include(<readerwriterqueue/readerwriterqueue.h>)
#include <readerwriterqueue/readerwriterqueue.h>
#define IPUFLOW_BENCH_READERWRITERQUEUE
#endif
#if __has_include(<concurrentqueue/concurrentqueue.h>)
#include <concurrentqueue/concurrentqueue.h>
#define IPUFLOW_BENCH_CONCURRENTQUEUE
#endif
#if __has_include(<tbb/concurrent_queue.h>)
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"  // g++ 12 sees one where its queue is inlined
#endif
#include <tbb/concurrent_queue.h>
#define IPUFLOW_BENCH_TBB
#endif

namespace feed = ipuflow::feed;
namespace queue = ipuflow::queue;
using clock_type = std::chrono::steady_clock;

namespace {

// --- two cores
// ---------------------------------------------------------------------------------------------------------

void pin(std::size_t which) {
  static const cpu_set_t allowed = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  std::size_t seen = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || seen++ != which) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  }
}

/// Nanoseconds until both are done, counted from when both are there; ending a thread is not part of it.
template <class Here, class There>
double nanoseconds_of(Here here, There there) {
  std::atomic<int> arrived{0};
  const auto meet = [&] {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();  // the other one may have to start on this core
  };
  clock_type::time_point there_done;
  std::thread other{[&] {
    pin(1);
    meet();
    there();
    there_done = clock_type::now();
  }};
  pin(0);
  meet();
  const auto start = clock_type::now();
  here();
  const auto here_done = clock_type::now();
  other.join();
  return std::chrono::duration<double, std::nano>(std::max(here_done, there_done) - start).count();
}

/// Nanoseconds of the bare round trip of one cache line.
double probe() {
  struct alignas(128) line {
    std::atomic<std::size_t> turn{0};
  };
  static std::array<line, 3> lines;
  std::atomic<std::size_t>& turn = lines[1].turn;
  constexpr std::size_t trips = 2000;
  turn = 0;
  const auto play = [&](std::size_t parity) {
    for (std::size_t i = parity; i < 2 * trips; i += 2) {
      while (turn.load(std::memory_order_acquire) != i) continue;
      turn.store(i + 1, std::memory_order_release);
    }
  };
  return nanoseconds_of([&] { play(0); }, [&] { play(1); }) / trips;
}

// --- contestants
// -------------------------------------------------------------------------------------------------------

struct line_item {
  std::array<std::uint64_t, 8> words;
};
std::uint64_t make(std::uint64_t i, std::uint64_t*) { return i; }
line_item make(std::uint64_t i, line_item*) { return {{i, i, i, i, i, i, i, i}}; }
std::uint64_t read(std::uint64_t item) { return item; }
std::uint64_t read(const line_item& item) { return item.words[0] + item.words[7]; }

constexpr std::size_t bulk = 64;

template <class T>
struct ours {
  static constexpr const char* name = "`spsc_ring`";
  queue::spsc_ring<T> ring;
  explicit ours(std::size_t capacity) : ring{capacity} {}
  bool try_push(const T& item) { return ring.try_push(item); }
  bool try_pop(T& item) { return ring.try_pop(item); }
  std::size_t push_bulk(std::uint64_t first) {
    const auto span = ring.reserve(bulk);
    for (T& item : span) item = make(first++, static_cast<T*>(nullptr));
    ring.commit(span.size());
    return span.size();
  }
  std::size_t pop_bulk(std::uint64_t& sum) {
    const auto span = ring.peek(ring.capacity());
    for (const T& item : span) sum += read(item);
    ring.release(span.size());
    return span.size();
  }
};

template <class T>
struct our_channel {
  static constexpr const char* name = "through a channel";
  decltype(queue::make_channel<T>(1)) ends;
  explicit our_channel(std::size_t capacity) : ends{queue::make_channel<T>(capacity)} {}
  bool try_push(const T& item) { return ends.in.try_push(item); }
  bool try_pop(T& item) { return ends.out.try_pop(item); }
  std::size_t push_bulk(std::uint64_t first) {
    const auto span = ends.in.try_reserve(bulk);
    for (T& item : span) item = make(first++, static_cast<T*>(nullptr));
    ends.in.commit(span.size());
    return span.size();
  }
  std::size_t pop_bulk(std::uint64_t& sum) {
    const auto span = ends.out.try_peek(ends.out.capacity());
    for (const T& item : span) sum += read(item);
    ends.out.release(span.size());
    return span.size();
  }
};

template <class T>
struct boost_spsc {
  static constexpr const char* name = "Boost.Lockfree";
  boost::lockfree::spsc_queue<T> ring;
  explicit boost_spsc(std::size_t capacity) : ring{capacity} {}
  bool try_push(const T& item) { return ring.push(item); }
  bool try_pop(T& item) { return ring.pop(item); }
  std::size_t push_bulk(std::uint64_t first) {
    std::array<T, bulk> items;
    for (T& item : items) item = make(first++, static_cast<T*>(nullptr));
    std::size_t done = 0;
    while (done < bulk) done += ring.push(items.data() + done, bulk - done);
    return bulk;
  }
  std::size_t pop_bulk(std::uint64_t& sum) {
    return ring.consume_all([&](const T& item) { sum += read(item); });
  }
};

template <class T, std::size_t Capacity>
struct boost_fixed {
  static constexpr const char* name = "Boost, fixed size";
  using ring_type = boost::lockfree::spsc_queue<T, boost::lockfree::capacity<Capacity>>;
  std::unique_ptr<ring_type> ring = std::make_unique<ring_type>();
  explicit boost_fixed(std::size_t) {}
  bool try_push(const T& item) { return ring->push(item); }
  bool try_pop(T& item) { return ring->pop(item); }
  std::size_t push_bulk(std::uint64_t first) {
    std::array<T, bulk> items;
    for (T& item : items) item = make(first++, static_cast<T*>(nullptr));
    std::size_t done = 0;
    while (done < bulk) done += ring->push(items.data() + done, bulk - done);
    return bulk;
  }
  std::size_t pop_bulk(std::uint64_t& sum) {
    return ring->consume_all([&](const T& item) { sum += read(item); });
  }
};
template <class T>
using boost_1024 = boost_fixed<T, 1024>;
template <class T>
using boost_65536 = boost_fixed<T, 65536>;

#ifdef IPUFLOW_BENCH_READERWRITERQUEUE
template <class T>
struct reader_writer {
  static constexpr const char* name = "readerwriterqueue";
  moodycamel::ReaderWriterQueue<T> ring;
  explicit reader_writer(std::size_t capacity) : ring{capacity} {}
  bool try_push(const T& item) { return ring.try_enqueue(item); }
  bool try_pop(T& item) { return ring.try_dequeue(item); }
};
#endif
#ifdef IPUFLOW_BENCH_CONCURRENTQUEUE
template <class T>
struct many_to_many {
  static constexpr const char* name = "concurrentqueue";
  static constexpr bool slow = true;
  moodycamel::ConcurrentQueue<T> ring;
  moodycamel::ProducerToken in{ring};
  moodycamel::ConsumerToken out{ring};
  explicit many_to_many(std::size_t capacity) : ring{capacity} {}
  bool try_push(const T& item) { return ring.try_enqueue(in, item); }
  bool try_pop(T& item) { return ring.try_dequeue(out, item); }
  std::size_t push_bulk(std::uint64_t first) {
    std::array<T, bulk> items;
    for (T& item : items) item = make(first++, static_cast<T*>(nullptr));
    return ring.try_enqueue_bulk(in, items.data(), bulk) ? bulk : 0;
  }
  std::size_t pop_bulk(std::uint64_t& sum) {
    std::array<T, bulk> items;
    const std::size_t got = ring.try_dequeue_bulk(out, items.data(), bulk);
    for (std::size_t i = 0; i < got; ++i) sum += read(items[i]);
    return got;
  }
};
#endif
#ifdef IPUFLOW_BENCH_TBB
template <class T>
struct tbb_bounded {
  static constexpr const char* name = "oneTBB, bounded";
  static constexpr bool slow = true;
  tbb::concurrent_bounded_queue<T> ring;
  explicit tbb_bounded(std::size_t capacity) { ring.set_capacity(static_cast<std::ptrdiff_t>(capacity)); }
  bool try_push(const T& item) { return ring.try_push(item); }
  bool try_pop(T& item) { return ring.try_pop(item); }
};
#endif

// --- workloads, each nanoseconds an item
// -------------------------------------------------------------------------------

template <class Queue, class T>
double singles(std::size_t capacity, std::size_t count) {
  alignas(128) Queue q{capacity};
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          while (!q.try_push(make(i, static_cast<T*>(nullptr)))) queue::relax();
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        T item{};
        for (std::size_t i = 0; i < count; ++i) {
          while (!q.try_pop(item)) queue::relax();
          sum += read(item);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

template <class Queue>
double bulks(std::size_t capacity, std::size_t count) {
  alignas(128) Queue q{capacity};
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t done = 0; done < count;) {
          const std::size_t more = q.push_bulk(done);
          if (more == 0) queue::relax();
          done += more;
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t done = 0; done < count;) {
          const std::size_t more = q.pop_bulk(sum);
          if (more == 0) queue::relax();
          done += more;
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

template <class Queue>
double round_trips(std::size_t count) {
  alignas(128) Queue there{1024};
  alignas(128) Queue back{1024};
  const double time = nanoseconds_of(
      [&] {
        std::uint64_t item = 0;
        for (std::size_t i = 0; i < count; ++i) {
          while (!there.try_push(i)) continue;
          while (!back.try_pop(item)) continue;
        }
      },
      [&] {
        std::uint64_t item = 0;
        for (std::size_t i = 0; i < count; ++i) {
          while (!there.try_pop(item)) continue;
          while (!back.try_push(item)) continue;
        }
      });
  return time / static_cast<double>(count);
}

// --- 64 KiB slots
// ------------------------------------------------------------------------------------------------------

using slot = std::array<std::uint64_t, 8192>;

void fill(slot& s, std::uint64_t seed) {
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = seed + i;
}
std::uint64_t total(const slot& s) { return std::accumulate(s.begin(), s.end(), std::uint64_t{0}); }

/// In place on both sides, or filled beside the ring, where it stays hot, and copied in.
double our_slots(bool copied, std::size_t count) {
  queue::slot_ring<slot> ring{16};
  auto beside = std::make_unique<slot>();
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          if (copied) fill(*beside, i);
          auto place = ring.reserve(1);
          for (; place.empty(); place = ring.reserve(1)) queue::relax();
          if (copied) {
            std::memcpy(&place[0], beside.get(), sizeof(slot));
          } else {
            fill(place[0], i);
          }
          ring.commit(1);
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t i = 0; i < count; ++i) {
          auto filled = ring.peek(1);
          for (; filled.empty(); filled = ring.peek(1)) queue::relax();
          sum += total(filled[0]);
          ring.release(1);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

/// Boost passes the indices of free and filled slots.
double boost_slots(std::size_t count) {
  std::vector<slot> slots(16);
  boost::lockfree::spsc_queue<std::size_t> filled{16};
  boost::lockfree::spsc_queue<std::size_t> free{16};
  for (std::size_t i = 0; i < 16; ++i) free.push(i);
  const double time = nanoseconds_of(
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          std::size_t index = 0;
          while (!free.pop(index)) queue::relax();
          fill(slots[index], i);
          filled.push(index);
        }
      },
      [&] {
        std::uint64_t sum = 0;  // not beside what the producer reads
        for (std::size_t i = 0; i < count; ++i) {
          std::size_t index = 0;
          while (!filled.pop(index)) queue::relax();
          sum += total(slots[index]);
          free.push(index);
        }
        benchmark::DoNotOptimize(sum);
      });
  return time / static_cast<double>(count);
}

/// What an infeed's source gives it: either a slot's content, to be copied in, or what to fill the slot with.
struct content {
  const slot* words;
};
struct recipe {
  std::uint64_t seed;
};
struct sheet {
  slot words{};

  sheet() = default;
  sheet(content from) { *this = from; }
  sheet(recipe from) { *this = from; }
  sheet& operator=(content from) {
    std::memcpy(&words, from.words, sizeof words);
    return *this;
  }
  sheet& operator=(recipe from) {
    fill(words, from.seed);
    return *this;
  }
};

/// The thread of the infeed makes the first element before the clock starts: there it is pinned, and then waits.
template <class Given>
double infeed_slots(std::size_t count) {
  auto beside = std::make_unique<slot>();
  std::atomic<bool> started{false};
  auto source = std::views::iota(std::uint64_t{0}, std::uint64_t{count + 1}) | std::views::transform([&](auto i) {
                  if (i == 0) pin(1);
                  while (i == 1 && !started) std::this_thread::yield();
                  if constexpr (std::same_as<Given, content>) {
                    fill(*beside, i);
                    return content{beside.get()};
                  } else {
                    return recipe{i};
                  }
                });
  pin(0);
  feed::infeed<sheet> infeed{source, {.prefetch_depth = 16}};
  (void)infeed.next();
  std::uint64_t sum = total(infeed[0].words);
  const auto start = clock_type::now();
  started = true;
  while (infeed.next()) sum += total(infeed[0].words);
  const auto time = std::chrono::duration<double, std::nano>(clock_type::now() - start);
  benchmark::DoNotOptimize(sum);
  return time.count() / static_cast<double>(count);
}

// --- the table
// ---------------------------------------------------------------------------------------------------------

/// The lower quartile: runs are short, and those in which a core was taken away are on the other side.
double typical(std::vector<double> values) {
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quarter, values.end());
  return *quarter;
}

/// How far apart the two cores are; nothing is known when one of them is busy with something else.
enum class distance { sibling, near, far, unknown };
constexpr std::array<const char*, 3> distance_names{"sibling (< 65 ns)", "near (< 220 ns)", "far (< 700 ns)"};

distance distance_of(double before, double after) {
  if (std::max(before, after) > 1.5 * std::min(before, after) || before > 700) return distance::unknown;
  return before < 65 ? distance::sibling : before < 220 ? distance::near : distance::far;
}

using times_of = std::map<std::string, std::vector<double>>;  // by contestant

struct contest {
  std::string workload;
  std::vector<std::string> names{};  // the first is ours
  std::map<distance, times_of> times{};
};
struct entry {
  contest* in;
  std::string name;
  std::function<double()> run;
};
std::vector<std::unique_ptr<contest>> contests;
std::vector<entry> entries;
std::map<distance, std::vector<double>> probes;

/// One run between two probes, kept if they agree.
double measure(const entry& e) {
  const double before = probe();
  const double time = e.run();
  const distance where = distance_of(before, probe());
  if (where != distance::unknown) {
    e.in->times[where][e.name].push_back(time);
    probes[where].push_back(before);
  }
  return time;
}

void enter(const std::string& workload, const std::string& name, std::function<double()> run) {
  if (contests.empty() || contests.back()->workload != workload) {
    contests.push_back(std::make_unique<contest>(contest{.workload = workload}));
  }
  contests.back()->names.push_back(name);
  entries.push_back({contests.back().get(), name, std::move(run)});
}

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

/// Everything in random order, again and again.
void measure_for(std::chrono::seconds time) {
  const auto end = clock_type::now() + time;
  std::mt19937 random{1};
  while (clock_type::now() < end) {
    std::shuffle(entries.begin(), entries.end(), random);
    for (const entry& e : entries) measure(e);
  }
}

/// "1.18", or "3.71 (3.14)" with the ratio to what is ours; "-" for who did not take part.
std::string cell(const times_of& times, const std::string& name, const std::string& ours_name) {
  const auto found = times.find(name);
  if (found == times.end()) return "-";
  const double time = typical(found->second);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), time < 10 ? "%.2f" : "%.0f", time);
  const auto base = times.find(ours_name);
  if (base == times.end() || name == ours_name) return text.data();
  const std::size_t length = std::strlen(text.data());
  const double ratio = time / typical(base->second);
  std::snprintf(text.data() + length, text.size() - length, ratio < 10 ? " (%.2f)" : " (%.0f)", ratio);
  return text.data();
}

/// The contests from `first` on that have the same contestants, or some of them; where the next table begins.
std::size_t print_contests(distance where, std::size_t first) {
  const std::vector<std::string>& names = contests[first]->names;
  const auto known = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  std::string head = "| workload, capacity |";
  std::string line = "\n|---|";
  for (const std::string& name : names) head += " " + name + " |", line += "---|";
  std::printf("%s runs, at least |%s---|\n", head.c_str(), line.c_str());
  std::size_t at = first;
  for (; at < contests.size() && known(contests[at]->names.front()); ++at) {
    const times_of& times = contests[at]->times[where];
    if (times.empty()) continue;
    std::size_t fewest = 0;
    std::printf("| %s |", contests[at]->workload.c_str());
    for (const std::string& name : names) {
      std::printf(" %s |", cell(times, name, names.front()).c_str());
      const auto found = times.find(name);
      if (found != times.end()) fewest = fewest == 0 ? found->second.size() : std::min(fewest, found->second.size());
    }
    std::printf(" %zu |\n", fewest);
  }
  std::printf("\n");
  return at;
}

/// Lower quartiles, a table for each state that the machine was in.
void print_tables() {
  if (probes.empty()) std::printf("\nNo run without other work on one of the cores: nothing to tell.\n");
  for (const auto& [where, trips] : probes) {
    std::printf(
        "\nWhile the bare round trip of a line was %s, typically %.0f ns; nanoseconds an item, and how many times\n"
        "as long as the first column:\n\n",
        distance_names[static_cast<std::size_t>(where)], typical(trips));
    for (std::size_t first = 0; first < contests.size();) first = print_contests(where, first);
  }
}

}  // namespace

int main(int argc, char** argv) {
  enter_all();
  const std::string_view option{argc == 2 ? argv[1] : ""};
  if (option == "--table" || option.starts_with("--table=")) {
    measure_for(std::chrono::seconds{option == "--table" ? 60 : std::atoi(argv[1] + std::strlen("--table="))});
  } else {
    register_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
  }
  print_tables();
}
