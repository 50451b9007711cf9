// SPDX-License-Identifier: BSL-1.0
// Runs a timetable on host threads. Lanes, which are IPUs or copies of them, are dealt out to threads in neighbouring
// groups, so that neighbours exchange most values on one core. What an operation does is the work's business: the executor
// knows passes, stages and micro-batches as numbers only. No order that `schedule::verify` accepts can hang.
#pragma once

#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/run/crew.hpp>
#include <ipuflow/run/failure.hpp>
#include <ipuflow/run/itinerary.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <thread>
#include <vector>

namespace ipuflow::run {

/// What a timetable is run over. `perform` does up to `count` operations: `o`, and those that differ from it in a higher
/// micro-batch. It is called by one thread at a time for each IPU. Copies of a timetable number their IPUs on: IPU i of copy
/// c is c * IPUs of the timetable + i.
template <class W>
concept work = requires(W& w, std::size_t ipu, const schedule::op& o, std::size_t count) {
  { w.perform(ipu, o, count) } -> std::same_as<progress>;
};

/// How many threads: as many as cores, at most one an IPU, unless a number is asked for.
inline std::size_t thread_count(std::size_t asked, std::size_t ipus) {
  const std::size_t cores = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  return std::clamp<std::size_t>(asked == 0 ? cores : asked, 1, std::max<std::size_t>(ipus, 1));
}

struct execution {
  std::stop_token stop{};      ///< leaves the run where it is
  trace* events = nullptr;
  std::size_t slack = 0;       ///< steps that an IPU may be ahead of the others on its thread
  std::size_t copies = 1;      ///< how many times the timetable is run, at the same time
};

struct outcome {
  bool stopped = false;    ///< from outside, before the timetable's end
  std::size_t performed = 0;  ///< operations
};

namespace detail {

template <class Work>
progress traced(Work& what, std::size_t ipu, const schedule::op& o, trace::pen& pen, std::size_t thread) {
  event e{o, ipu, thread, std::chrono::steady_clock::now(), {}};
  const progress made = what.perform(ipu, o, 1);
  e.finish = std::chrono::steady_clock::now();
  if (made.done > 0) pen.note(e);
  return made;
}

}  // namespace detail

/// Runs all operations of `t`. Throws `stage_failed` if an operation throws, when every thread has let go of the work; what
/// an unfinished run leaves in the work is the work's to clear up.
template <schedule::timetable T, work Work>
outcome execute(const T& t, Work& what, crew& threads, const execution& options = {}) {
  throw_if(t.refused);
  const std::size_t count = threads.size();
  const std::size_t lanes = options.copies * t.where.ipus;
  first_failure failure;
  std::atomic<bool> halt{false};
  std::atomic<std::size_t> performed{0};
  trace* const events = options.events;
  std::vector<trace::pen> pens = events != nullptr ? events->pens(count) : std::vector<trace::pen>(count);
  std::stop_callback on_stop{options.stop, [&] { halt.store(true, std::memory_order_relaxed); }};  // a hint: no data goes with it

  threads.run([&](std::size_t me) {
    itinerary<T> mine{t, me * lanes / count, (me + 1) * lanes / count};
    std::size_t done = 0;
    const auto perform = [&](std::size_t ipu, const schedule::placed& o, std::size_t most) {
      try {
        const progress made = events == nullptr ? what.perform(ipu, o, most) : detail::traced(what, ipu, o, pens[me], me);
        done += made.done;
        return made;
      } catch (...) {
        failure.set(o);
        halt.store(true, std::memory_order_relaxed);  // a hint: the failure itself is read after the threads are joined
        return progress{0, attempt::over};
      }
    };
    queue::spin_then_yield patience;
    while (!mine.finished() && !halt.load(std::memory_order_relaxed)) {  // partner: none, see above
      if (mine.advance(options.slack, perform)) continue;
      patience.wait([&] { return halt.load(std::memory_order_relaxed) || mine.advance(options.slack, perform); });  // the same
    }
    performed.fetch_add(done, std::memory_order_relaxed);  // read after the threads are joined
  });
  if (events != nullptr) events->collect(pens);
  failure.rethrow();
  return {halt.load(std::memory_order_relaxed), performed.load(std::memory_order_relaxed)};  // all threads are joined
}

}  // namespace ipuflow::run
