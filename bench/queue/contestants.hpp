// SPDX-License-Identifier: BSL-1.0
// The queues that are compared, each with the same few functions: ours, Boost's, and others where CMake found them.
#pragma once

#include <ipuflow/queue.hpp>

#include <boost/lockfree/spsc_queue.hpp>

#ifdef IPUFLOW_BENCH_READERWRITERQUEUE
#include <readerwriterqueue/readerwriterqueue.h>
#endif
#ifdef IPUFLOW_BENCH_CONCURRENTQUEUE
#include <concurrentqueue/concurrentqueue.h>
#endif
#ifdef IPUFLOW_BENCH_TBB
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"  // g++ 12 sees one where its queue is inlined
#endif
#include <tbb/concurrent_queue.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace queue_bench {

namespace queue = ipuflow::queue;

struct line_item {
  std::array<std::uint64_t, 8> words;
};
std::uint64_t make(std::uint64_t i, std::uint64_t*) { return i; }
inline line_item make(std::uint64_t i, line_item*) { return {{i, i, i, i, i, i, i, i}}; }
std::uint64_t read(std::uint64_t item) { return item; }
std::uint64_t read(const line_item& item) { return item.words[0] + item.words[7]; }

inline constexpr std::size_t bulk = 64;

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

}  // namespace queue_bench
