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
  std::stop_token stop{};   ///< leaves the run where it is
  trace* events = nullptr;
  std::size_t slack = 0;    ///< steps that an IPU may be ahead of the others on its thread
  std::size_t copies = 1;   ///< how many times the timetable is run, at the same time
};

struct outcome {
  bool stopped = false;       ///< from outside, before the timetable's end
  std::size_t performed = 0;  ///< operations
};

/// What the threads of a run tell each other.
struct run_signals {
  std::atomic<bool> halt{false};  ///< only a hint to leave soon; what a failure is, is read once the threads have left
  first_failure failure{};
};

/// One thread's part in a run.
template <schedule::timetable T, work Work>
class alignas(queue::cache_line) follower {
 public:
  follower(Work& what, itinerary<T> lanes, run_signals& signals, trace::pen* pen, std::size_t thread)
      : what_{what}, lanes_{std::move(lanes)}, signals_{signals}, pen_{pen}, thread_{thread} {}

  /// Follows its lanes to their ends, or until the run is halted.
  void follow() noexcept {
    const auto perform = [this](std::size_t lane, const schedule::op& o, std::size_t count) {
      return attempt_some(lane, o, count);
    };
    queue::spin_then_yield patience;
    while (!lanes_.finished() && !halted()) {
      if (lanes_.advance(perform)) continue;
      patience.wait([&] { return halted() || lanes_.advance(perform); });
    }
  }

  std::size_t performed() const { return performed_; }
  bool finished() const { return lanes_.finished(); }

 private:
  bool halted() const { return signals_.halt.load(std::memory_order_relaxed); }  // no partner: a hint

  progress attempt_some(std::size_t lane, const schedule::op& o, std::size_t count) {
    try {
      const progress made = pen_ == nullptr ? what_.perform(lane, o, count) : traced(lane, o);
      performed_ += made.done;
      return made;
    } catch (...) {
      signals_.failure.set(o);
      signals_.halt.store(true, std::memory_order_relaxed);  // no partner: a hint
      return {0, attempt::over};
    }
  }

  progress traced(std::size_t lane, const schedule::op& o) {
    event e{o, lane, thread_, std::chrono::steady_clock::now(), {}};
    const progress made = what_.perform(lane, o, 1);
    e.finish = std::chrono::steady_clock::now();
    if (made.done > 0) pen_->note(e);
    return made;
  }

  Work& what_;
  itinerary<T> lanes_;
  run_signals& signals_;
  trace::pen* pen_;
  std::size_t thread_;
  std::size_t performed_ = 0;
};

/// Runs all operations of `t`, which has passed `schedule::verify`. Throws `stage_failed` if an operation throws, when every
/// thread has let go of the work; what an unfinished run leaves in the work is the work's to clear up.
template <schedule::timetable T, work Work>
outcome execute(const T& t, Work& what, crew& threads, const execution& options = {}) {
  throw_if(t.refused);
  const bool in_turn = t.goes == schedule::pace::in_turn;  // a thread keeps turns by following the order of the steps
  const std::size_t unit = in_turn ? std::max<std::size_t>(t.where.ipus, 1) : 1;
  const std::size_t units = options.copies * t.where.ipus / unit;
  run_signals signals;
  std::vector<trace::pen> pens;
  if (options.events != nullptr) pens = options.events->pens(threads.size());
  std::vector<follower<T, Work>> followers;
  for (std::size_t me = 0; me < threads.size(); ++me) {
    const auto dealt = [&](std::size_t to) { return to * units / threads.size() * unit; };
    followers.emplace_back(what, itinerary<T>{t, dealt(me), dealt(me + 1), in_turn ? 0 : options.slack}, signals,
                           pens.empty() ? nullptr : &pens[me], me);
  }
  {
    std::stop_callback on_stop{options.stop, [&] { signals.halt.store(true, std::memory_order_relaxed); }};  // a hint
    threads.run([&](std::size_t me) { followers[me].follow(); });
  }
  if (options.events != nullptr) options.events->collect(pens);
  signals.failure.rethrow();
  outcome came;
  for (const auto& f : followers) {
    came.performed += f.performed();
    came.stopped = came.stopped || !f.finished();
  }
  return came;
}

}  // namespace ipuflow::run
