// SPDX-License-Identifier: BSL-1.0
// The chain of operations that decides how long a run takes: each starts the moment the one before it lets it, by
// ending on the same IPU or by its message arriving. Shortening anything else changes nothing. Of schedules in closed form
// it is found at a cost that does not grow with the micro-batches, as a chain that repeats.
#pragma once

#include <ipuflow/schedule/analysis/nth_op.hpp>
#include <ipuflow/schedule/analysis/path_trace.hpp>
#include <ipuflow/schedule/analysis/repeating_path.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/analysis/train_path.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The times of a run, and its critical path; an empty one where rounds do not repeat for tens of millions of operations.
struct times_and_path {
  times time{};
  repeating_path path{};
};

namespace impl {

/// The IPU that is done last, of several the first one; of equal causes the path takes what its IPU did before, then messages.
[[nodiscard]] constexpr std::size_t last_ipu(const times& found) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < found.ipu.size(); ++i) last = found.ipu[i].last > found.ipu[last].last ? i : last;
  return last;
}

/// Updates of weights that the timetable does not have come behind all else on their IPU.
template <timetable T, pricing Costs>
constexpr void add_updates(const T& t, const Costs& c, std::size_t ipu, repeating_path& path) {
  path_piece updates;
  std::size_t start = path.empty() ? 0 : path.back().span.finish;
  std::size_t step = path.empty() ? 0 : path.back().step + 1;
  for_each_update(t, [&](std::size_t of, std::size_t stage) {
    const std::size_t time = c.of(pass::update, stage);
    if (of != ipu || time == 0) return;
    updates.ops.push_back({{{op{pass::update, stage, t.where.micro_batches - 1}, step, false}, ipu, {start, start + time}}});
    start += time;
    ++step;
  });
  path.push_back(static_cast<path_piece&&>(updates));
}

/// The operation that each one waited for, while a timetable is walked over.
template <timetable T, pricing Costs>
class causes_walk {
 public:
  constexpr causes_walk(const T& t, const Costs& c)
      : t_{t}, c_{c}, lanes_{t.where.ipus}, made_{2 * t.where.seats() * t.where.micro_batches, nowhere} {}

  constexpr void run(times& found) {
    for (std::size_t i = 0; i < t_.where.ipus; ++i) found.ipu.push_back({nowhere, 0, 0});
    for_each_timed(t_, c_, [&](std::size_t ipu, std::size_t seat, const placed& o, span_of_time span) {
      ipu_time& i = found.ipu[ipu];
      if (span.start < i.first) i.first = span.start;
      if (span.finish > i.last) i.last = span.finish;
      i.busy += c_.of(o.kind, o.stage);
      updates_ = updates_ || o.kind == pass::update;
      note(ipu, seat, o, span);
    });
    if (!updates_) count_updates(t_, c_, found);
    settle(found);
  }

  constexpr repeating_path to_end_of(std::size_t ipu) const {
    path_piece piece;
    dynamic_array<std::size_t> back;
    for (std::size_t i = lanes_[ipu].newest; i != nowhere; i = before_[i]) back.push_back(i);
    for (std::size_t i = back.size(); i-- > 0;) piece.ops.push_back({all_[back[i]]});
    repeating_path path;
    path.push_back(static_cast<path_piece&&>(piece));
    if (!updates_) add_updates(t_, c_, ipu, path);
    return path;
  }

 private:
  struct lane {
    std::size_t newest = nowhere;
    std::size_t held = nowhere;  // the first of two that run together
  };

  constexpr bool ends_at(std::size_t i, std::size_t time) const { return i != nowhere && all_[i].span.finish == time; }

  constexpr void note(std::size_t ipu, std::size_t seat, const placed& o, span_of_time span) {
    lane& l = lanes_[ipu];
    const std::size_t self = all_.size();
    const bool second = l.held != nowhere;
    std::size_t cause = second ? before_[l.held] : l.newest;
    bool known = second ? held_known_[ipu] : span.start == 0 ? cause == nowhere || ends_at(cause, 0) : ends_at(cause, span.start);
    const bool back = is_backward(o.kind);
    const std::size_t from = read_from(t_.where, o);
    for_each_seat(t_.where, from, o.micro_batch, [&](std::size_t s, std::size_t maker) {
      if (known || maker == ipu) return;
      const std::size_t source = made_[(2 * s + (back ? 1 : 0)) * t_.where.micro_batches + o.micro_batch];
      if (all_[source].span.finish + message_time(c_, from) != span.start) return;
      cause = source;
      known = true;
    });
    const bool first = o.with_next && !second;
    if (!known && !first && t_.goes == pace::in_turn) cause = turn_;
    all_.push_back({{o}, ipu, span});
    before_.push_back(cause);
    if (second) before_[l.held] = cause;
    held_known_[ipu] = known;
    l.held = first ? self : nowhere;
    l.newest = self;
    turn_ = self;
    if (o.kind == pass::forward || back) made_[(2 * seat + (back ? 1 : 0)) * t_.where.micro_batches + o.micro_batch] = self;
  }

  const T& t_;
  const Costs& c_;
  dynamic_array<lane> lanes_;
  dynamic_array<std::size_t> made_;
  dynamic_array<bool> held_known_{t_.where.ipus};
  dynamic_array<timed_op> all_{};
  dynamic_array<std::size_t> before_{};  // of each operation, the one that it waited for
  std::size_t turn_ = nowhere;
  bool updates_ = false;
};

/// The same by walking over all operations.
template <timetable T, pricing Costs>
constexpr times_and_path walked_path(const T& t, const Costs& c, std::size_t to = nowhere) {
  times_and_path found;
  causes_walk<T, Costs> walk{t, c};
  walk.run(found.time);
  if (t.where.ipus > 0) found.path = walk.to_end_of(to == nowhere ? last_ipu(found.time) : to);
  return found;
}

/// The operations of a trace with their names, in the order of time.
template <class T, class Trace>
constexpr path_piece piece_of(const T& t, const Trace& trace, std::size_t begin, std::size_t end, const traced_body* body) {
  path_piece piece;
  if (body != nullptr) {
    piece.times = body->more + 1;
    piece.every = body->every;
  }
  for (std::size_t i = end; i-- > begin;) {
    const traced_op& o = trace.ops()[i];
    const run_event& e = trace.entry(o.code).event;
    const auto named = [&](std::size_t number, std::size_t position) {
      return nth_op(t, e.lane, static_cast<pass>(e.cost % pass_count), e.cost / pass_count, number, position);
    };
    const auto placed_at = [&](std::size_t less, std::size_t fewer) {
      placed made = named(o.number - less, o.position - fewer);
      made.with_next = e.held();
      return made;
    };
    repeated_op made{{placed_at(0, 0), e.lane, {o.start, o.finish}}};
    if (body != nullptr) {
      const placed before = placed_at(body->numbers[i - begin], body->positions[i - begin]);
      made.micro_batches = made.first.micro_batch - before.micro_batch;
      made.steps = made.first.step - before.step;
      made.first.micro_batch -= body->more * made.micro_batches;
      made.first.step -= body->more * made.steps;
      made.first.span.start -= body->more * body->every;
      made.first.span.finish -= body->more * body->every;
    }
    piece.ops.push_back(made);
  }
  return piece;
}

/// The path to the end of an IPU, of a timetable that was run in rounds.
template <runs_in_rounds T, pricing Costs, class State>
constexpr repeating_path traced_path(const T& t, const Costs& c, const State& state, std::size_t ipu) {
  repeating_path path;
  path_trace trace{state};
  trace.run(ipu);
  std::size_t end = trace.ops().size();
  const auto add_until = [&](std::size_t begin, const traced_body* body) {
    path.push_back(piece_of(t, trace, begin, end, body));
    end = begin;
  };
  for (std::size_t i = trace.bodies().size(); i-- > 0;) {
    add_until(trace.bodies()[i].end, nullptr);
    add_until(trace.bodies()[i].begin, &trace.bodies()[i]);
  }
  path.push_back(piece_of(t, trace, 0, end, nullptr));
  add_updates(t, c, ipu, path);
  return path;
}

/// The same of a timetable that is made of trains; false if it is none.
template <class T, pricing Costs>
constexpr bool path_in_trains(const T& t, const Costs& c, times_and_path& found, std::size_t to) {
  if constexpr (requires { train_lines{t, c}; }) {
    const train_lines lines{t, c};
    if (!lines.fit()) return false;
    train_rounds<true> rounds{lines};
    if (!steady_run{rounds, rounds}.run() || rounds.clash()) return false;
    for (std::size_t i = 0; i < rounds.lanes(); ++i) found.time.ipu.push_back({rounds.first(i), rounds.last(i), work_of(t, c, i)});
    count_updates(t, c, found.time);
    settle(found.time);
    if (rounds.log().full()) return true;
    const std::size_t ipu = to == nowhere ? last_ipu(found.time) : to;
    dynamic_array<path_piece> pieces = train_path{t, c, rounds.log()}.to(ipu, rounds.last(ipu));
    for (std::size_t i = pieces.size(); i-- > 0;) found.path.push_back(static_cast<path_piece&&>(pieces[i]));
    add_updates(t, c, ipu, found.path);
    return true;
  } else {
    return false;
  }
}

/// True if an IPU runs one stage in both directions: the operations of a log do not say in which.
template <class T>
constexpr bool has_stage_twice(const T& t) {
  if constexpr (requires { t.where.kind; }) {
    return t.where.kind == layout::mirrored && t.where.ipus % 2 == 1;
  } else {
    return false;
  }
}

/// The times of a timetable that is run in rounds, and the path to the end of an IPU; of the one that is done last, unless another is asked for.
/// False if it cannot be run so.
template <runs_in_rounds T, pricing Costs>
constexpr bool path_in_rounds(const T& t, const Costs& c, times_and_path& found, std::size_t to = nowhere) {
  if (t.refused || has_stage_twice(t)) return false;
  if (path_in_trains(t, c, found, to)) return true;
  return run_in_rounds<run_log>(t, c, [&](const auto& state) {
    if (!state.log().complete()) return false;
    for (std::size_t i = 0; i < state.lanes(); ++i) found.time.ipu.push_back({state.first(i), state.last(i), state.busy(i)});
    count_updates(t, c, found.time);
    settle(found.time);
    if (!state.log().full()) found.path = traced_path(t, c, state, to == nowhere ? last_ipu(found.time) : to);
    return true;
  });
}

}  // namespace impl

/// `times_of` and the critical path of the same run.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr times_and_path times_and_path_of(const T& t, const Costs& c = {}) {
  if constexpr (impl::runs_in_rounds<T>) {
    if (impl::worth_rounds(t)) {
      times_and_path found;
      if (impl::path_in_rounds(t, c, found)) return found;
    }
  }
  return impl::walked_path(t, c);
}

/// From the first operation of the chain to the end of the run; empty where it is too long to be found.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr repeating_path critical_path(const T& t, const Costs& c = {}) {
  return times_and_path_of(t, c).path;
}

}  // namespace ipuflow::schedule
