// SPDX-License-Identifier: BSL-1.0
// Runs a timetable on host threads, to which lanes are dealt out; lanes are IPUs or copies of them. What an operation
// does is the work's business: the executor knows passes, stages and micro-batches as numbers only. No order that
// `schedule::verify` accepts can hang, whichever thread has which lanes.
#pragma once

#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/run/failure.hpp>
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/dealing.hpp>
#include <ipuflow/run/threads/itinerary.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

namespace ipuflow::run {

/// The work that a timetable puts in order. `perform` does up to `count` operations: `o`, and those that differ from it in a
/// higher micro-batch. It is called by one thread at a time for each IPU. Copies of a timetable number their IPUs on:
/// IPU i of copy c is c * IPUs of the timetable + i.
template <class W>
concept work = requires(W& w, std::size_t ipu, const schedule::op& o, std::size_t count) {
  { w.perform(ipu, o, count) } -> std::same_as<progress>;
};

/// Any work, which has to last as long.
class any_work {
 public:
  template <work W>
    requires(!std::same_as<W, any_work>)
  any_work(W& what)
      : of_{&what}, perform_{[](void* of, std::size_t ipu, const schedule::op& o, std::size_t count) {
          return static_cast<W*>(of)->perform(ipu, o, count);
        }} {}
  any_work(const any_work&) = default;

  progress perform(std::size_t ipu, const schedule::op& o, std::size_t count) { return perform_(of_, ipu, o, count); }

 private:
  void* of_;
  progress (*perform_)(void*, std::size_t, const schedule::op&, std::size_t);
};

/// The number of threads: as many as cores, at most one per IPU, unless a number is asked for.
template <class = void>
[[nodiscard]] inline std::size_t thread_count(std::size_t asked, std::size_t ipus) {
  const std::size_t cores = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  return std::clamp<std::size_t>(asked == 0 ? cores : asked, 1, std::max<std::size_t>(ipus, 1));
}

/// Options of carrying out a timetable.
struct execution {
  std::stop_token stop{};  ///< leaves the run where it is
  trace* events = nullptr;
  std::size_t slack = 0;         ///< steps that an IPU may be ahead of the others on its thread
  std::size_t copies = 1;        ///< how many times the timetable is run, at the same time
  const dealt* lanes = nullptr;  ///< of each thread, from `deal_lanes`; none: as if all IPUs had the same work
};

/// The end of a run: whether it was stopped, and the number of operations that it performed.
struct outcome {
  bool stopped = false;       ///< from outside, before the timetable's end
  std::size_t performed = 0;  ///< operations
};

/// The signals that the threads of a run give each other.
struct run_signals {
  std::atomic<bool> halt{false};  ///< only a hint to leave soon; what a failure is, is read once the threads have left
  first_failure failure{};
};

/// One thread's part in a run.
class alignas(queue::cache_line) follower {
 public:
  /// `ipus`: of one of several copies; 0 if there is but one.
  follower(any_work what, itinerary lanes, run_signals& signals, trace::pen* pen, std::size_t thread, std::size_t ipus)
      : what_{what}, lanes_{std::move(lanes)}, signals_{signals}, pen_{pen}, thread_{thread}, ipus_{ipus} {}

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

  [[nodiscard]] std::size_t performed() const { return performed_; }
  [[nodiscard]] bool finished() const { return lanes_.finished(); }

 private:
  bool halted() const { return signals_.halt.load(std::memory_order_relaxed); }  // no partner: a hint

  progress attempt_some(std::size_t lane, const schedule::op& o, std::size_t count) {
    try {
      const progress made = pen_ == nullptr ? what_.perform(lane, o, count) : traced(lane, o);
      performed_ += made.done;
      return made;
    } catch (...) {
      signals_.failure.set(o, ipus_ == 0 ? schedule::nowhere : lane / ipus_);
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

  any_work what_;
  itinerary lanes_;
  run_signals& signals_;
  trace::pen* pen_;
  std::size_t thread_;
  std::size_t ipus_;
  std::size_t performed_ = 0;
};

/// The lanes of each thread; `work` of each IPU in any unit, or nothing if all have the same. Where one operation runs
/// at a time, a thread keeps turns by following the order of the steps, so a copy stays on one thread.
template <class = void>
dealt deal_lanes(const schedule::any_timetable& t, std::size_t threads, std::size_t copies, std::span<const std::size_t> work = {}) {
  const std::size_t ipus = std::max<std::size_t>(t.where.ipus, 1);
  const std::size_t unit = t.goes == schedule::pace::in_turn ? ipus : 1;
  std::vector<std::size_t> units(copies * t.where.ipus / unit, 1);
  for (std::size_t i = 0; unit == 1 && !work.empty() && i < units.size(); ++i) units[i] = work[i % ipus];
  dealt lanes = deal(units, threads);
  for (auto& mine : lanes) {
    std::vector<std::size_t> all;
    for (const std::size_t first : mine) {
      for (std::size_t i = 0; i < unit; ++i) all.push_back(first * unit + i);
    }
    mine = std::move(all);
  }
  return lanes;
}

/// Runs all operations of `t`, which has passed `schedule::verify`. Throws `stage_failed` if an operation throws, when
/// every thread has let go of the work; what an unfinished run leaves in the work is the work's to clear up.
template <class = void>
outcome execute(const schedule::any_timetable& t, any_work what, crew& threads, const execution& options = {}) {
  throw_if(t.refused);
  const std::size_t slack = t.goes == schedule::pace::in_turn ? 0 : options.slack;
  const dealt even = options.lanes == nullptr ? deal_lanes(t, threads.size(), options.copies) : dealt{};
  const dealt& lanes = options.lanes == nullptr ? even : *options.lanes;
  run_signals signals;
  std::vector<trace::pen> pens;
  if (options.events != nullptr) pens = options.events->pens(threads.size());
  std::vector<follower> followers;
  followers.reserve(threads.size());
  for (std::size_t me = 0; me < threads.size(); ++me) {
    followers.emplace_back(what, itinerary{t, lanes[me], slack}, signals, pens.empty() ? nullptr : &pens[me], me,
                           options.copies > 1 ? t.where.ipus : 0);
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

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template outcome execute<>(const schedule::any_timetable&, any_work, crew&, const execution&);
#endif

}  // namespace ipuflow::run
