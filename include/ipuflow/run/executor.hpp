// SPDX-License-Identifier: BSL-1.0
// Runs a timetable on host threads. IPUs are dealt out to threads in neighbouring groups; a thread follows its IPUs in the
// order of the timetable's steps, and where the next operation of one has to wait it looks at the others, so none starves
// and no order that the verifier accepts can hang. What an operation does is the work's business: the executor knows
// passes, stages and micro-batches as numbers only.
#pragma once

#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/run/crew.hpp>
#include <ipuflow/run/failure.hpp>
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

/// What came of trying an operation: it is done, it has to wait for others, or nothing will ever come for it again.
enum class attempt : unsigned char { done, wait, over };

/// What came of trying several operations.
struct progress {
  std::size_t done = 0;
  attempt next = attempt::done;  ///< of the first one that was not done
};

/// What a timetable is run over. `perform` does up to `count` operations: `o`, and those that differ from it in a higher
/// micro-batch. It is called by one thread at a time for each IPU.
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
};

struct outcome {
  bool stopped = false;    ///< from outside, before the timetable's end
  std::size_t performed = 0;  ///< operations
};

namespace detail {

/// The IPUs of one thread on their way through the timetable.
template <schedule::timetable T>
class itinerary {
 public:
  itinerary(const T& t, std::size_t first, std::size_t last) {
    for (std::size_t ipu = first; ipu < last; ++ipu) {
      if (auto walk = t.walk(ipu)) lanes_.push_back({std::move(walk), ipu});
    }
  }

  bool finished() const { return lanes_.empty(); }

  /// Tries operations, those of the IPU with the lowest step first, until some are done; false if all have to wait. An IPU
  /// may go on until it is `slack` steps ahead of the others.
  template <class Perform>
  bool advance(std::size_t slack, Perform perform) {
    for (std::size_t tried = 0; tried < lanes_.size(); ++tried) {
      const std::size_t limit = take_lowest(tried) + slack;
      lane& l = lanes_[tried];
      const progress made = perform(l.ipu, *l.walk, room(l.walk, limit));
      if (made.done == 0 && made.next == attempt::wait) continue;
      move_on(l.walk, made.done);
      if (made.next == attempt::over || !l.walk) {
        std::swap(l, lanes_.back());
        lanes_.pop_back();
      }
      return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t burst = 256;  ///< operations before anybody asks whether the run is to stop

  struct lane {
    schedule::walk_of<T> walk;
    std::size_t ipu = 0;
  };

  using walk = schedule::walk_of<T>;
  static constexpr bool in_runs = requires(walk& w) { w.repeats(), w += 1; };

  /// How many operations of the kind at hand may be done before anybody looks at the steps again.
  static std::size_t room(const walk& w, std::size_t limit) {
    if constexpr (in_runs) {
      const std::size_t ahead = w->step < limit ? limit - w->step : 0;
      return std::min({w.repeats(), burst, ahead + 1});
    } else {
      return 1;
    }
  }
  static void move_on(walk& w, std::size_t count) {
    if constexpr (in_runs) {
      if (count > 0) w += count;
    } else {
      while (count-- > 0) ++w;
    }
  }

  /// Moves the lane with the lowest step among those from `from` on to `from`; the lowest step of those behind it.
  std::size_t take_lowest(std::size_t from) {
    for (std::size_t i = from + 1; i < lanes_.size(); ++i) {
      if (lanes_[i].walk->step < lanes_[from].walk->step) std::swap(lanes_[i], lanes_[from]);
    }
    std::size_t next = schedule::nowhere / 2;
    for (std::size_t i = from + 1; i < lanes_.size(); ++i) next = std::min(next, lanes_[i].walk->step);
    return next;
  }

  std::vector<lane> lanes_;
};

}  // namespace detail

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
  first_failure failure;
  std::atomic<bool> halt{false};
  std::atomic<std::size_t> performed{0};
  trace* const events = options.events;
  std::vector<trace::pen> pens = events != nullptr ? events->pens(count) : std::vector<trace::pen>(count);
  std::stop_callback on_stop{options.stop, [&] { halt.store(true, std::memory_order_relaxed); }};  // a hint: no data goes with it

  threads.run([&](std::size_t me) {
    const std::size_t ipus = t.where.ipus;
    detail::itinerary<T> mine{t, me * ipus / count, (me + 1) * ipus / count};
    std::size_t done = 0;
    const auto perform = [&](std::size_t ipu, const schedule::placed& o, std::size_t count) {
      try {
        const progress made = events == nullptr ? what.perform(ipu, o, count) : detail::traced(what, ipu, o, pens[me], me);
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
