// SPDX-License-Identifier: BSL-1.0
// One thread's part in a run of a timetable, and the run of all of them: what is behind the functions of executor.hpp.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/dealing.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/itinerary.hpp>
#include <ipuflow/run/trace.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// The signals that the threads of a run give each other.
struct run_signals {
  stop_signal stop{};             ///< of those who began the run
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
  bool halted() const { return signals_.halt.load(std::memory_order_relaxed) || signals_.stop.stop_requested(); }  // no partner: a hint

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
    event e{o, lane, thread_, steady_clock::now(), {}};
    const progress made = what_.perform(lane, o, 1);
    e.finish = steady_clock::now();
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

}  // namespace impl

template <class>
std::size_t thread_count(std::size_t asked, std::size_t ipus) {
  const std::size_t cores = algorithms::max<std::size_t>(posix::cores(), 1);
  return algorithms::clamp<std::size_t>(asked == 0 ? cores : asked, 1, algorithms::max<std::size_t>(ipus, 1));
}

template <class>
[[gnu::cold]] dealt deal_lanes(const schedule::any_timetable& t, std::size_t threads, std::size_t copies, light_span<const std::size_t> work) {
  const std::size_t ipus = algorithms::max<std::size_t>(t.where.ipus, 1);
  const std::size_t unit = t.goes == schedule::pace::in_turn ? ipus : 1;
  light_vector<std::size_t> units(copies * t.where.ipus / unit, 1);
  for (std::size_t i = 0; unit == 1 && !work.empty() && i < units.size(); ++i) units[i] = work[i % ipus];
  dealt lanes = impl::deal(units, threads);
  for (auto& mine : lanes) {
    light_vector<std::size_t> all;
    for (const std::size_t first : mine) {
      for (std::size_t i = 0; i < unit; ++i) all.push_back(first * unit + i);
    }
    mine = std::move(all);
  }
  return lanes;
}

template <class>
outcome execute(const schedule::any_timetable& t, any_work what, crew& threads, const execution& options) {
  throw_if(t.refused);
  const std::size_t slack = t.goes == schedule::pace::in_turn ? 0 : options.slack;
  const dealt even = options.lanes == nullptr ? deal_lanes(t, threads.size(), options.copies) : dealt{};
  const dealt& lanes = options.lanes == nullptr ? even : *options.lanes;
  impl::run_signals signals{.stop = options.stop};
  light_vector<trace::pen> pens;
  if (options.events != nullptr) pens = options.events->pens(threads.size());
  light_vector<impl::follower> followers;
  followers.reserve(threads.size());
  for (std::size_t me = 0; me < threads.size(); ++me) {
    followers.emplace_back(what, impl::itinerary{t, lanes[me], slack}, signals, pens.empty() ? nullptr : &pens[me], me,
                           options.copies > 1 ? t.where.ipus : 0);
  }
  threads.run([&](std::size_t me) { followers[me].follow(); });
  if (options.events != nullptr) options.events->collect(pens);
  signals.failure.rethrow();
  outcome came;
  for (const auto& f : followers) {
    came.performed += f.performed();
    came.stopped = came.stopped || !f.finished();
  }
  return came;
}

template <class>
outcome execute(const schedule::any_timetable& t, any_work what, std::size_t threads, const execution& options) {
  crew these{thread_count(threads, t.where.ipus)};
  return execute(t, what, these, options);
}

}  // namespace ipuflow::run
