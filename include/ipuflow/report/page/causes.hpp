// SPDX-License-Identifier: BSL-1.0
// The causes of times in a timeline: for each pass the one that made what it reads, for each idle time what it waits for, and the
// critical path, on which each slice begins when the one before it lets it. Known are only slices: a forward reads the forward of the
// stage before it, a backward that of the stage behind it, of the same micro-batch.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/report/runs/timeline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::uint32_t no_slice = static_cast<std::uint32_t>(-1);

enum class idle_reason : unsigned char { message, arriving, step, thread, between, between_runs, no_work };
inline constexpr std::size_t idle_reasons = 7;

/// In words, {} for the slice that is the cause.
[[nodiscard]] constexpr std::string_view words_of(idle_reason r) {
  constexpr std::string_view names[] = {"waits for {}",
                                        "{} is done: its message is on the way, or a thread wakes up to read it",
                                        "waits for {}, the last of a step that IPUs end together",
                                        "its thread is busy with {}",
                                        "what it reads is there: calls, syncs, threads that wake up, or a machine that runs something else",
                                        "between two runs: parameters are updated, data and results change hands",
                                        "has no work left"};
  return names[static_cast<std::size_t>(r)];
}

/// The same for sums, where there are many causes.
[[nodiscard]] constexpr std::string_view short_words_of(idle_reason r) {
  constexpr std::string_view names[] = {"waiting for messages", "messages on the way", "waiting for the end of steps", "thread busy elsewhere",
                                        "ready but not run",    "between runs",        "no work left"};
  return names[static_cast<std::size_t>(r)];
}

struct idle_time {
  std::size_t row = 0;
  std::uint64_t start = 0;
  std::uint64_t length = 0;
  idle_reason reason = idle_reason::between;
  std::uint32_t cause = no_slice;
};

/// The time of a row by what it does; of slices that lie within each other the outer one counts.
struct row_time {
  std::array<std::uint64_t, slice_kinds> busy{};
  std::array<std::uint64_t, idle_reasons> idle{};

  [[nodiscard]] std::uint64_t at_work() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t b : busy) sum += b;
    return sum;
  }
};

struct run_causes {
  light_vector<std::uint32_t> made_by{};   ///< of each slice, the one that made what it reads
  light_vector<idle_time> idle{};          ///< by their starts
  light_vector<std::uint32_t> critical{};  ///< slices from the start to the end
  light_vector<row_time> rows{};           ///< times of each add up to the length of a complete run; hosts have none
};

/// The last slices of each stage, micro-batch and direction; rows of several copies of a pipeline have their own.
template <class = void>
class basic_makers {
 public:
  explicit basic_makers(const timeline& t) {
    light_vector<std::size_t> stage_of(t.rows.size(), schedule::nowhere);  // the last of each row
    for (const slice& s : t.slices) {
      if (!is_pass(s.kind) || s.stage == schedule::nowhere || s.micro_batch == schedule::nowhere) continue;
      stages_ = algorithms::max(stages_, s.stage + 1);
      micro_batches_ = algorithms::max(micro_batches_, s.micro_batch + 1);
      if (stage_of[s.row] == schedule::nowhere || s.stage > stage_of[s.row]) stage_of[s.row] = s.stage;
    }
    std::size_t devices = 0;
    for (const row& r : t.rows) devices += r.host ? 0 : 1;
    rows_each_ = algorithms::max<std::size_t>(devices, 1);
    for (std::size_t each = 1; each < devices; ++each) {  // rows of a copy: the fewest that all stages are on, time and again
      bool repeats = devices % each == 0 && has_all(stage_of, each);
      for (std::size_t r = each; r < devices && repeats; ++r) repeats = stage_of[r] == stage_of[r - each];
      if (repeats) {
        rows_each_ = each;
        break;
      }
    }
    const std::size_t places = 2 * stages_ * micro_batches_ * (devices / rows_each_);
    if (places <= 8 * t.slices.size() + 4096) last_.assign(places, no_slice);  // numbers that are no numbers of a pipeline
  }

  /// The slice that made what this one reads.
  [[nodiscard]] std::uint32_t maker_of(const slice& s) const {
    if (last_.empty() || !is_known(s)) return no_slice;
    if (s.kind == slice_kind::forward) return s.stage == 0 ? no_slice : last_[place(s, 0, s.stage - 1)];
    if (!is_backward(s.kind)) return no_slice;
    return s.stage + 1 < stages_ ? last_[place(s, 1, s.stage + 1)] : last_[place(s, 0, s.stage)];
  }
  void note(const light_vector<slice>& all, std::uint32_t number) {
    const slice& s = all[number];
    if (last_.empty() || !is_known(s)) return;
    const bool back = is_backward(s.kind);
    if (!back && s.kind != slice_kind::forward) return;
    std::uint32_t& last = last_[place(s, back ? 1 : 0, s.stage)];
    const bool beside = last != no_slice && all[last].run == s.run && all[last].row != s.row;  // branches: the later one is waited for
    if (!beside || all[last].finish < s.finish) last = number;
  }

 private:
  static bool has_all(const light_vector<std::size_t>& stage_of, std::size_t rows) {
    std::size_t most = 0, here = 0;
    for (std::size_t r = 0; r < stage_of.size(); ++r) {
      if (stage_of[r] == schedule::nowhere) continue;
      most = algorithms::max(most, stage_of[r]);
      if (r < rows) here = algorithms::max(here, stage_of[r]);
    }
    return here == most;
  }
  bool is_known(const slice& s) const { return s.stage < stages_ && s.micro_batch < micro_batches_; }
  std::size_t place(const slice& s, std::size_t back, std::size_t stage) const {
    return ((s.row / rows_each_ * 2 + back) * stages_ + stage) * micro_batches_ + s.micro_batch;
  }

  std::size_t stages_ = 0, micro_batches_ = 0, rows_each_ = 1;
  light_vector<std::uint32_t> last_;
};

/// Walks over the slices of a timeline, which are in the order of their starts.
template <class = void>
class basic_cause_walk {
 public:
  /// `in_steps`: IPUs begin and end each step together.
  basic_cause_walk(const timeline& t, bool in_steps)
      : t_{t}, in_steps_{in_steps}, makers_{t}, ends_(t.rows.size()), before_(t.slices.size(), no_slice) {
    found_.made_by.assign(t.slices.size(), no_slice);
    found_.rows.resize(t.rows.size());
    for (const row& r : t.rows) lanes_.emplace_back(r.lanes);
  }

  run_causes walk() {
    for (std::uint32_t n = 0; n < t_.slices.size(); ++n) {
      const slice& s = t_.slices[n];
      if (!t_.rows[s.row].host && s.kind != slice_kind::run) take(n, s);
    }
    for (std::size_t r = 0; r < t_.rows.size(); ++r) {
      if (t_.rows[r].host || ends_[r].at >= t_.length || !t_.complete) continue;
      add_idle(r, ends_[r].at, t_.length, idle_reason::no_work, no_slice);
    }
    algorithms::sort(found_.idle.begin(), found_.idle.end(), [](const idle_time& a, const idle_time& b) { return a.start != b.start ? a.start < b.start : a.row < b.row; });
    for (std::uint32_t n = last_; n != no_slice; n = before_[n]) found_.critical.push_back(n);
    algorithms::reverse(found_.critical.begin(), found_.critical.end());
    return std::move(found_);
  }

 private:
  /// The two slices of a lane or a thread that began last.
  struct last_two {
    std::uint32_t now = no_slice, before = no_slice;
  };
  /// The time up to which a row is accounted for, and the slice that ended then.
  struct row_end {
    std::uint64_t at = 0;
    std::uint32_t slice = no_slice;
  };

  void take(std::uint32_t n, const slice& s) {
    row_end& end = ends_[s.row];
    const std::uint32_t maker = found_.made_by[n] = makers_.maker_of(s);
    std::uint32_t cause = no_slice;
    if (s.start > end.at) cause = idle_before(s, end, maker);
    if (s.finish > end.at) {
      found_.rows[s.row].busy[static_cast<std::size_t>(s.kind)] += s.finish - algorithms::max(s.start, end.at);
      const bool follows = end.slice != no_slice && t_.slices[end.slice].finish <= s.start;
      before_[n] = latest(latest(follows ? end.slice : outer(end.slice), cause, s.start), maker, s.start);
      end = {s.finish, n};
      if (last_ == no_slice || s.finish > t_.slices[last_].finish) last_ = n;
    } else {
      before_[n] = outer(end.slice);
    }
    makers_.note(t_.slices, n);
    last_two& lane = lanes_[s.row][s.lane];
    lane = {n, lane.now};
    if (s.thread == schedule::nowhere) return;
    if (s.thread >= threads_.size()) threads_.resize(s.thread + 1);
    threads_[s.thread] = {n, threads_[s.thread].now};
  }
  std::uint32_t outer(std::uint32_t n) const { return n == no_slice ? no_slice : before_[n]; }
  /// The one of two slices that ended later, of those that had ended by then.
  std::uint32_t latest(std::uint32_t a, std::uint32_t b, std::uint64_t by) const {
    if (b == no_slice || t_.slices[b].finish > by) return a;
    return a == no_slice || t_.slices[b].finish > t_.slices[a].finish ? b : a;
  }

  /// Tells the time since the end of a row apart: until what the next slice reads is made, and from then on. Returns the last cause.
  std::uint32_t idle_before(const slice& s, const row_end& end, std::uint32_t maker) {
    std::uint64_t from = end.at;
    const auto within = [&](std::uint32_t n) {
      return n != no_slice && t_.slices[n].row != s.row && t_.slices[n].finish > from && t_.slices[n].finish <= s.start;
    };
    const auto told = [&](idle_reason why, std::uint32_t cause) {
      add_idle(s.row, from, s.start, why, cause);
      return cause;
    };
    if (end.slice != no_slice && s.run != schedule::nowhere && t_.slices[end.slice].run != s.run && t_.slices[end.slice].run != schedule::nowhere)
      return told(idle_reason::between_runs, no_slice);
    const bool waits = within(maker);
    if (waits && 8 * (s.start - t_.slices[maker].finish) < s.start - from) return told(idle_reason::message, maker);  // a rest that is not worth its room
    if (waits) {
      add_idle(s.row, from, t_.slices[maker].finish, idle_reason::message, maker);
      from = t_.slices[maker].finish;
    }
    std::uint32_t cause = no_slice;
    for (std::size_t row = 0; in_steps_ && row < lanes_.size(); ++row) {
      for (const last_two& lane : lanes_[row]) {
        for (const std::uint32_t n : {lane.before, lane.now}) {
          if (within(n)) cause = latest(cause, n, s.start);
        }
      }
    }
    if (cause != no_slice) return told(idle_reason::step, cause);
    if (s.thread < threads_.size()) {
      for (const std::uint32_t n : {threads_[s.thread].before, threads_[s.thread].now}) {
        if (within(n)) cause = latest(cause, n, s.start);
      }
    }
    if (cause != no_slice) return told(idle_reason::thread, cause);
    const bool sent = maker != no_slice && t_.slices[maker].row != s.row && s.thread == schedule::nowhere;  // between threads nothing travels
    return waits || sent ? told(idle_reason::arriving, maker) : told(idle_reason::between, no_slice);
  }
  void add_idle(std::size_t row, std::uint64_t from, std::uint64_t to, idle_reason why, std::uint32_t cause) {
    found_.idle.push_back({row, from, to - from, why, cause});
    found_.rows[row].idle[static_cast<std::size_t>(why)] += to - from;
  }

  const timeline& t_;
  bool in_steps_;
  basic_makers<> makers_;
  light_vector<row_end> ends_;
  light_vector<light_vector<last_two>> lanes_;
  light_vector<last_two> threads_;
  light_vector<std::uint32_t> before_;  // of each slice, the one that let it begin
  run_causes found_{};
  std::uint32_t last_ = no_slice;
};

template <class = void>
[[nodiscard]] run_causes causes_of(const timeline& t, bool in_steps) {
  return basic_cause_walk<>{t, in_steps}.walk();
}

}  // namespace ipuflow::report::impl
