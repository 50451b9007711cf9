// SPDX-License-Identifier: BSL-1.0
// The eager times of orders of lanes: each operation begins when the one before it on its IPU is over and what it reads is
// there. It is the longest path, and the pairs of neighbours on it are where an order can be improved.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The orders of all IPUs, one behind the other: which lane has its next operation.
struct search_orders {
  dynamic_array<std::size_t> lanes{};
  dynamic_array<std::size_t> first{};  ///< of each IPU, and one past the last
};

/// The worth of orders: the objective, then the sum of the times of IPUs.
struct search_value {
  amount longest = endless;
  amount sum = endless;

  [[nodiscard]] constexpr bool worse_than(const search_value& other) const {
    return longest != other.longest ? longest > other.longest : sum > other.sum;
  }
};

class search_times {
 public:
  constexpr explicit search_times(const search_instance& of)
      : of_{&of},
        end{of.operations()},
        at{of.operations()},
        operation{of.operations()},
        tail{of.operations()},
        ran_{of.operations()},
        done_{of.lanes.size()},
        cursor_{of.ipus},
        free_{of.ipus},
        waits_for_{of.ipus},
        awake_{of.ipus + 1} {}

  /// The value of the orders; `endless` if they end in a deadlock.
  constexpr search_value run(const search_orders& orders) {
    for (std::size_t& d : done_) d = 0;
    over_ = awakened_ = 0;
    for (std::size_t ipu = of_->ipus; ipu-- > 0;) {
      cursor_[ipu] = orders.first[ipu];
      free_[ipu] = of_->release[ipu];
      waits_for_[ipu] = nowhere;
      awake_[awakened_++] = ipu;
    }
    while (awakened_ > 0) advance(orders, awake_[--awakened_]);
    return over_ < orders.lanes.size() ? search_value{} : value();
  }

  /// The longest path from the end of each operation to the end of the schedule, for the orders that ran last.
  constexpr void run_back(const search_orders& orders) {
    const std::size_t count = of_->micro_batches;
    for (std::size_t n = ran_.size(); n-- > 0;) {
      const std::size_t i = ran_[n];
      const std::size_t id = operation[i];
      const search_lane& lane = of_->lanes[id / count];
      const amount next = i + 1 == orders.first[lane.ipu + 1] ? -of_->offset[lane.ipu] : from_on(i + 1);
      const amount read = behind(id);
      tail[id] = next > read ? next : read;
    }
  }

  /// A lower limit of the objective if the operations at `i - 1` and `i` change places.
  [[nodiscard]] constexpr amount if_swapped(const search_orders& orders, std::size_t i) const {
    const std::size_t count = of_->micro_batches;
    const std::size_t u = operation[i - 1];
    const std::size_t v = operation[i];
    const search_lane& of_u = of_->lanes[u / count];
    const search_lane& of_v = of_->lanes[v / count];
    const std::size_t ipu = of_u.ipu;
    const amount before = i - 1 == orders.first[ipu] ? of_->release[ipu] : end[operation[i - 2]];
    const amount v_start = later(before, ready(v));
    const amount u_start = later(v_start + of_v.time, ready(u));
    const amount next = i + 1 == orders.first[ipu + 1] ? -of_->offset[ipu] : from_on(i + 1);
    const amount u_tail = later(next, behind(u));
    const amount v_tail = later(of_u.time + u_tail, behind(v));
    return later(v_start + of_v.time + v_tail, u_start + of_u.time + u_tail);
  }

  /// Calls `visit(i)` for each position on one longest path, from its end, whose operation had to wait for the one before it.
  template <class Random, class Visit>
  constexpr void trace(const search_orders& orders, Random& random, Visit visit) const {
    const std::size_t count = of_->micro_batches;
    std::size_t i = orders.first[longest_ + 1] - 1;
    while (true) {
      const std::size_t id = operation[i];
      const std::size_t l = id / count;
      const std::size_t m = id % count;
      const search_lane& lane = of_->lanes[l];
      const amount start = end[id] - lane.time;
      const bool first = i == orders.first[lane.ipu];
      const bool behind = !first && end[operation[i - 1]] == start;
      const std::size_t taken = first || of_->capacity == nowhere ? nowhere : taken_before(operation[i - 1]);
      const bool waited = taken != nowhere && end[taken] - of_->lanes[taken / count].time == start;
      std::size_t read = nowhere;
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t b = lane.before[k];
        if (b != nowhere && end[b * count + m] + lane.lag[k] == start) read = b * count + m;
      }
      if (behind && (read == nowhere || random(2) == 0)) {
        visit(i);
        --i;
      } else if (read != nowhere) {
        i = at[read];
      } else if (waited) {  // for room in a channel: until a message before it was taken
        visit(i);
        i = at[taken];
      } else {
        return;
      }
    }
  }

 private:
  static constexpr amount later(amount a, amount b) { return a < b ? b : a; }

  /// Runs the operations of an IPU up to one that has to wait for another IPU.
  constexpr void advance(const search_orders& orders, std::size_t ipu) {
    const std::size_t count = of_->micro_batches;
    const std::size_t last = orders.first[ipu + 1];
    std::size_t i = cursor_[ipu];
    amount now = free_[ipu];
    for (; i < last; ++i) {
      const std::size_t l = orders.lanes[i];
      const std::size_t id = l * count + done_[l];
      const beginning start = beginning_of(l, done_[l], i > orders.first[ipu] ? operation[i - 1] : nowhere, now);
      if (start.missing != nowhere) {
        waits_for_[ipu] = start.missing;
        break;
      }
      now = start.at + of_->lanes[l].time;
      end[id] = now;
      at[id] = i;
      operation[i] = id;
      ran_[over_++] = i;
      ++done_[l];
      wake_for(ipu, l);
    }
    cursor_[ipu] = i;
    free_[ipu] = now;
  }

  /// The time at which an operation can begin on an IPU that is free from `now` on, behind `before`; or a lane that it has to
  /// wait for.
  struct beginning {
    amount at;
    std::size_t missing = nowhere;
  };
  [[nodiscard]] constexpr beginning beginning_of(std::size_t l, std::size_t m, std::size_t before, amount now) const {
    const std::size_t count = of_->micro_batches;
    const search_lane& lane = of_->lanes[l];
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t b = lane.before[k];
      if (b == nowhere) continue;
      if (done_[b] <= m) return {now, b};
      now = later(now, end[b * count + m] + lane.lag[k]);
    }
    if (of_->capacity == nowhere || before == nowhere) return {now};
    const std::size_t taken = taken_before(before);
    if (taken == nowhere) return {now};
    if (done_[taken / count] <= taken % count) return {now, taken / count};
    return {later(now, end[taken] - of_->lanes[taken / count].time)};
  }

  /// The IPUs that waited for an operation of lane `l` go on: those that read it, and those that it makes room for in channels.
  constexpr void wake_for(std::size_t ipu, std::size_t l) {
    const auto wake = [&](std::size_t waiting) {
      if (waits_for_[waiting] != l) return;
      waits_for_[waiting] = nowhere;
      awake_[awakened_++] = waiting;
    };
    const search_lane& lane = of_->lanes[l];
    for (const std::size_t a : lane.after) {
      if (a != nowhere) wake(of_->lanes[a].ipu);
    }
    if (of_->capacity == nowhere) return;
    for (const std::size_t b : lane.before) {
      if (b != nowhere && of_->lanes[b].ipu != ipu) wake(of_->lanes[b].ipu);
    }
  }

  constexpr search_value value() {
    search_value all{-endless, 0};
    for (std::size_t ipu = 0; ipu < of_->ipus; ++ipu) {
      const amount took = free_[ipu] - of_->offset[ipu];
      all.sum += took;
      if (took > all.longest) {
        all.longest = took;
        longest_ = ipu;
      }
    }
    return all;
  }

  /// The operation that must have begun before the IPU is free again behind this one, because it makes room for what this one sends.
  [[nodiscard]] constexpr std::size_t taken_before(std::size_t id) const {
    const std::size_t count = of_->micro_batches;
    const std::size_t reader = of_->lanes[id / count].reader;
    if (reader == nowhere || id % count < of_->capacity) return nowhere;
    return reader * count + id % count - of_->capacity;
  }

  [[nodiscard]] constexpr amount from_on(std::size_t i) const {
    return of_->lanes[operation[i] / of_->micro_batches].time + tail[operation[i]];
  }
  /// The longest path to the end through what reads an operation.
  [[nodiscard]] constexpr amount behind(std::size_t id) const {
    const std::size_t count = of_->micro_batches;
    const std::size_t l = id / count;
    amount longest = -endless;
    for (const std::size_t a : of_->lanes[l].after) {
      if (a == nowhere) continue;
      const search_lane& reader = of_->lanes[a];
      const amount lag = reader.lag[reader.before[0] == l ? 0 : 1];
      longest = later(longest, lag + reader.time + tail[a * count + id % count]);
    }
    return longest;
  }
  [[nodiscard]] constexpr amount ready(std::size_t id) const {
    const std::size_t count = of_->micro_batches;
    const search_lane& lane = of_->lanes[id / count];
    amount there = -endless;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t b = lane.before[k];
      if (b != nowhere) there = later(there, end[b * count + id % count] + lane.lag[k]);
    }
    return there;
  }

  const search_instance* of_;

 public:
  dynamic_array<amount> end;             ///< of each operation, lane by lane
  dynamic_array<std::size_t> at;         ///< the position of each operation
  dynamic_array<std::size_t> operation;  ///< at each position
  dynamic_array<amount> tail;            ///< of each operation, after `run_back`

 private:
  dynamic_array<std::size_t> ran_;  ///< positions in an order that respects all that waits
  dynamic_array<std::size_t> done_;
  dynamic_array<std::size_t> cursor_;
  dynamic_array<amount> free_;
  dynamic_array<std::size_t> waits_for_;
  dynamic_array<std::size_t> awake_;  ///< IPUs that may go on
  std::size_t awakened_ = 0;          ///< the number of them
  std::size_t over_ = 0;              ///< operations that ran
  std::size_t longest_ = 0;           ///< IPU whose time is the objective
};

}  // namespace ipuflow::schedule::impl
