// SPDX-License-Identifier: BSL-1.0
// Runs a timetable on host threads, to which lanes are dealt out; lanes are IPUs or copies of them. What an operation
// does is the work's business: the executor knows passes, stages and micro-batches as numbers only. No order that
// `schedule::verify` accepts can hang, whichever thread has which lanes.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/run/threads/attempt.hpp>
#include <ipuflow/run/threads/dealt.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>

#include <concepts>
#include <cstddef>

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

class crew;
class trace;

/// The number of threads: as many as cores, at most one per IPU, unless a number is asked for.
template <class = void>
[[nodiscard]] std::size_t thread_count(std::size_t asked, std::size_t ipus);

/// Options of carrying out a timetable.
struct execution {
  stop_signal stop{};  ///< leaves the run where it is
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

/// The lanes of each thread; `work` of each IPU in any unit, or nothing if all have the same. Where one operation runs
/// at a time, a thread keeps turns by following the order of the steps, so a copy stays on one thread.
template <class = void>
dealt deal_lanes(const schedule::any_timetable& t, std::size_t threads, std::size_t copies, light_span<const std::size_t> work = {});

/// Runs all operations of `t`, which has passed `schedule::verify`. Throws `stage_failed` if an operation throws, when
/// every thread has let go of the work; what an unfinished run leaves in the work is the work's to clear up.
template <class = void>
outcome execute(const schedule::any_timetable& t, any_work what, crew& threads, const execution& options = {});
/// The same on that number of threads, which end with the run; 0: as `thread_count` says.
template <class = void>
outcome execute(const schedule::any_timetable& t, any_work what, std::size_t threads, const execution& options = {});

}  // namespace ipuflow::run

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
namespace ipuflow::run {
extern template std::size_t thread_count<>(std::size_t, std::size_t);
extern template dealt deal_lanes<>(const schedule::any_timetable&, std::size_t, std::size_t, light_span<const std::size_t>);
extern template outcome execute<>(const schedule::any_timetable&, any_work, crew&, const execution&);
extern template outcome execute<>(const schedule::any_timetable&, any_work, std::size_t, const execution&);
}  // namespace ipuflow::run
#else
#include <ipuflow/run/threads/follower.hpp>
#endif
