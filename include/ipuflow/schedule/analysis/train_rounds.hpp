// SPDX-License-Identifier: BSL-1.0
// A timetable of trains, run step by step. Operations of one step do not read each other, and a step has nearly the operations of the one
// a distance before it, so these stand in a list that only changes where a train starts or ends: a few instructions an operation. It is
// a state and its rounds at once, for `steady_run`.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/growing_time.hpp>
#include <ipuflow/schedule/analysis/line_extent.hpp>
#include <ipuflow/schedule/analysis/train_lines.hpp>
#include <ipuflow/schedule/analysis/train_log.hpp>
#include <ipuflow/schedule/analysis/train_turns.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

template <bool Logged = false>
class train_rounds {
 public:
  constexpr explicit train_rounds(const train_lines& lines)
      : lines_{lines.lines()},
        apart_{lines.apart()},
        free_{lines.lanes()},
        free_growth_{lines.lanes()},
        first_{lines.lanes(), nowhere},
        places_{lines.places()},
        growth_{lines.places()},
        running_{static_cast<std::size_t>(apart_)},
        taken_{static_cast<std::size_t>(apart_) * lines.lanes()},
        left_{lines_.size()},
        done_{lines_.size()},
        index_{lines_.size()},
        log_{lines.lanes()} {
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      left_[i] = lines_[i].operations;
      turns_.add({lines_[i].extent.start, i, true});
    }
  }

  [[nodiscard]] constexpr std::size_t lanes() const { return free_.size(); }
  /// Of an IPU: the start of its first operation, and the end of its last one.
  [[nodiscard]] constexpr std::size_t first(std::size_t lane) const { return first_[lane]; }
  [[nodiscard]] constexpr std::size_t last(std::size_t lane) const { return free_[lane]; }
  [[nodiscard]] constexpr const train_log& log() const { return log_; }

  [[nodiscard]] constexpr bool done() const { return turns_.empty() || clash_; }
  /// True if an IPU was to run two operations at one step.
  [[nodiscard]] constexpr bool clash() const { return clash_; }

  template <class State>
  constexpr bool round(State&) {
    if (now_ >= edge_) look();
    step_number end = now_ + period_;
    whole_ = even_ && end <= edge_;
    if (end > edge_) end = edge_;
    run<false>(end);
    return !clash_;
  }
  [[nodiscard]] constexpr std::size_t alike() const { return whole_ && now_ < edge_ ? static_cast<std::size_t>((edge_ - now_) / period_) : 0; }
  constexpr void leave_out(std::size_t) {}  // rounds are counted as they are repeated, or left out

  constexpr void begin_round() { events_ = 0; }
  [[nodiscard]] constexpr std::size_t events() const { return events_; }
  static constexpr bool can_repeat() { return true; }
  static constexpr bool has_same_times() { return true; }
  constexpr void have_repeated(std::size_t) {}

  template <bool Growing>
  constexpr void repeat() {
    if constexpr (Growing) ++cycle_;
    run<Growing>(now_ + period_);
  }
  constexpr void begin_growth(std::size_t) { lasts = nowhere; }
  std::size_t lasts = nowhere;  ///< cycles after the next one in which all maxima stay as they are

  /// All times grow, by `cycles` times their growth.
  constexpr void grow(std::size_t cycles) {
    const std::size_t rounds = cycles * cycle_;
    const step_number steps = number(rounds) * period_;
    if constexpr (Logged) log_.leave_out(now_, steps, number(cycle_) * period_);
    cycle_ = 0;
    for_each_time([cycles](growing_time& time) { time.at += cycles * time.growth; });
    if (rounds == 0) return;
    turns_.change([&](train_turns::turn& t) {
      const train_line& l = lines_[t.line];
      if (l.every == 0 || l.extent.start > now_) return;
      t.at += steps;
      left_[t.line] -= rounds * l.length;
    });
    now_ += steps;
    left_out_ += steps;
  }

  /// Calls `visit(time)` for the times of all IPUs, and of the messages that wait.
  template <class Visit>
  constexpr void for_each_time(Visit visit) {
    const auto show = [&](std::size_t& at, std::size_t& growth) {
      growing_time time{at, growth};
      visit(time);
      at = time.at;
      growth = time.growth;
    };
    for (std::size_t i = 0; i < lanes(); ++i) show(free_[i], free_growth_[i]);
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      const train_line& l = lines_[i];
      if (l.reads == train_line::none) continue;
      const std::uint32_t made = made_by(l.reads);
      for (std::uint32_t n = made_by(i); n != made; ++n) show(places_[l.in.at + (n & l.in.mask)], growth_[l.in.at + (n & l.in.mask)]);
    }
  }

 private:
  static constexpr step_number ramp = 256;

  /// A train under way as each step needs it, in half a cache line: more of them fit a core's nearest memory. Its operation at a step has the
  /// number of distances since the beginning, and `number` more, of which rings need the last digits.
  struct train {
    std::size_t time = 0;
    std::size_t delay = 0;
    std::uint32_t in = 0, out = 0;
    std::uint32_t lane = 0;
    std::uint8_t number = 0;
    std::uint8_t in_mask = 0, out_mask = 0;
  };
  /// The line of a train, and the whole of that number.
  struct train_of {
    std::uint32_t line = 0;
    std::uint32_t number = 0;
  };
  /// The trains with an operation at one step of a distance.
  struct trains {
    dynamic_array<train> list{};
    dynamic_array<train_of> of{};  // each of the list
  };

  constexpr std::size_t clock() const { return static_cast<std::size_t>(now_ - left_out_); }
  constexpr std::size_t residue() const { return clock() % static_cast<std::size_t>(apart_); }
  constexpr std::size_t distance() const { return clock() / static_cast<std::size_t>(apart_); }

  /// The operations of a line before this step, but for those that were left out.
  constexpr std::uint32_t made_by(std::uint32_t line) const {
    if (index_[line] == 0) return done_[line];
    const std::size_t at = started_residue(line);
    return running_[at].of[index_[line] - 1].number + static_cast<std::uint32_t>(distance()) + (at < residue() ? 1 : 0);
  }
  constexpr std::size_t started_residue(std::uint32_t line) const {
    return static_cast<std::size_t>(lines_[line].extent.start % apart_);
  }

  template <bool Growing>
  constexpr void run(step_number end) {
    std::size_t at = residue();
    std::size_t distances = distance();
    for (; now_ < end && !clash_; ++now_) {
      bool starts = false;
      while (!turns_.empty() && turns_.next().at == now_) starts = turn(at, distances) || starts;
      step<Growing>(running_[at].list, distances);
      if (starts && not_begun_ > 0) note_first(running_[at].list);
      if (++at < running_.size()) continue;
      at = 0;
      ++distances;
    }
  }

  /// A train starts, or has ended a distance ago: true if it starts.
  constexpr bool turn(std::size_t at, std::size_t distances) {
    const train_turns::turn now = turns_.take();
    const train_line& l = lines_[now.line];
    if (now.starts) {
      const std::size_t length = l.length < left_[now.line] ? l.length : left_[now.line];
      bool& taken = taken_[at * lanes() + l.lane];
      clash_ = clash_ || taken;
      taken = true;
      const std::uint32_t numbered = done_[now.line] - static_cast<std::uint32_t>(distances);
      running_[at].list.push_back({l.time, l.delay, l.in.at, l.out.at, l.lane, last_digits(numbered), last_digits(l.in.mask), last_digits(l.out.mask)});
      running_[at].of.push_back({now.line, numbered});
      index_[now.line] = static_cast<std::uint32_t>(running_[at].of.size());
      left_[now.line] -= length;
      turns_.add({now_ + apart_ * number(length), now.line, false});
      return true;
    }
    const std::size_t from = started_residue(now.line);
    trains& all = running_[from];
    taken_[from * lanes() + l.lane] = false;
    done_[now.line] = made_by(now.line);
    const std::size_t gap = index_[now.line] - 1;
    all.list[gap] = all.list.back();
    all.of[gap] = all.of.back();
    index_[all.of[gap].line] = index_[now.line];
    index_[now.line] = 0;
    all.list.pop_back();
    all.of.pop_back();
    if (left_[now.line] > 0) turns_.add({now_ - apart_ * number(l.length) + l.every, now.line, true});
    return false;
  }
  constexpr void note_first(const dynamic_array<train>& list) {
    for (const train& t : list) {
      if (first_[t.lane] != nowhere) continue;
      first_[t.lane] = free_[t.lane] - t.time;
      --not_begun_;
    }
  }
  static constexpr std::uint8_t last_digits(std::uint32_t number) { return static_cast<std::uint8_t>(number & 0xff); }

  template <bool Growing>
  constexpr void step(const dynamic_array<train>& list, std::size_t distances) {
    events_ += list.size();
    std::uint8_t* said = nullptr;
    if constexpr (Logged) said = log_.said();
    const auto since = static_cast<std::uint32_t>(distances);
    std::size_t* const places = places_.data();
    std::size_t* const free = free_.data();
    for (const train& t : list) {
      const std::uint32_t n = t.number + since;
      const std::uint32_t in = t.in + (n & t.in_mask);
      const std::uint32_t out = t.out + (n & t.out_mask);
      const std::size_t read = places[in] + t.delay;
      std::size_t own = free[t.lane];
      bool message = read > own;
      if constexpr (Growing) {
        growing_time now{own, free_growth_[t.lane]};
        message = t.in != train_line::nothing.at && take_later<Logged>(now, {read, growth_[in]}, lasts);
        own = now.at;
        growth_[out] = free_growth_[t.lane] = now.growth;
      } else {
        own = message ? read : own;
      }
      if constexpr (Logged) said[t.lane] = message ? 1 : 0;
      places[out] = free[t.lane] = own + t.time;
    }
    if constexpr (Logged) log_.keep();
  }
  /// Finds which lines run from here on, and until where these are all.
  constexpr void look() {
    even_stretch next{now_};
    for (const train_line& l : lines_) next.add(l.extent, runs_where_read(l));
    next.settle(ramp);
    even_ = next.even;
    period_ = next.period;
    edge_ = next.edge;
  }

  /// True if as many messages wait for those that read a line, and for itself, in each round.
  constexpr bool runs_where_read(const train_line& l) const {
    const auto runs = [&](std::uint32_t other) { return other == train_line::none || (lines_[other].extent.start <= now_ && now_ < lines_[other].extent.end); };
    return runs(l.reads) && runs(l.read_by);
  }

  const dynamic_array<train_line>& lines_;
  step_number apart_;
  step_number now_ = 0;
  step_number left_out_ = 0;  // steps before it
  dynamic_array<std::size_t> free_, free_growth_;
  dynamic_array<std::size_t> first_;
  dynamic_array<std::size_t> places_, growth_;
  dynamic_array<trains> running_;                // by the step modulo the distance
  dynamic_array<bool> taken_;                    // IPUs of each of these
  dynamic_array<std::size_t> left_;              // operations of each line that no train has had yet
  dynamic_array<std::uint32_t> done_;            // those of trains that have ended, but for those that were left out, modulo 2^32
  dynamic_array<std::uint32_t> index_;           // of the line's train among those that run, and one more; 0 if none does
  train_turns turns_{};
  std::size_t not_begun_ = lanes();              // IPUs without an operation yet
  step_number edge_ = 0;
  step_number period_ = 1;
  std::size_t events_ = 0;
  std::size_t cycle_ = 0;
  bool even_ = false;
  bool whole_ = false;
  bool clash_ = false;
  train_log log_;
};

}  // namespace ipuflow::schedule::impl
