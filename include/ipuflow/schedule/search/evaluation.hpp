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
    const std::size_t count = of_->micro_batches;
    for (std::size_t& d : done_) d = 0;
    std::size_t awake = 0;
    for (std::size_t ipu = of_->ipus; ipu-- > 0;) {
      cursor_[ipu] = orders.first[ipu];
      free_[ipu] = of_->release[ipu];
      waits_for_[ipu] = nowhere;
      awake_[awake++] = ipu;
    }
    std::size_t left = orders.lanes.size();
    const search_lane* const lanes = of_->lanes.data();
    while (awake > 0) {
      const std::size_t ipu = awake_[--awake];
      std::size_t i = cursor_[ipu];
      const std::size_t last = orders.first[ipu + 1];
      amount now = free_[ipu];
      for (; i < last; ++i) {
        const std::size_t l = orders.lanes[i];
        const search_lane& lane = lanes[l];
        const std::size_t m = done_[l];
        std::size_t missing = nowhere;
        if (of_->capacity != nowhere && i > orders.first[ipu]) {
          const std::size_t taken = taken_before(operation[i - 1]);
          if (taken != nowhere && done_[taken / count] <= taken % count) missing = taken / count;
          else if (taken != nowhere) now = later(now, end[taken] - lanes[taken / count].time);
        }
        for (std::size_t k = 0; k < 2; ++k) {
          const std::size_t b = lane.before[k];
          if (b == nowhere) continue;
          if (done_[b] <= m) {
            missing = b;
            break;
          }
          const amount ready = end[b * count + m] + lane.lag[k];
          if (ready > now) now = ready;
        }
        if (missing != nowhere) {
          waits_for_[ipu] = missing;
          break;
        }
        now += lane.time;
        end[l * count + m] = now;
        at[l * count + m] = i;
        operation[i] = l * count + m;
        done_[l] = m + 1;
        free_[ipu] = now;
        ran_[orders.lanes.size() - left--] = i;
        for (const std::size_t a : lane.after) {
          if (a == nowhere) continue;
          const std::size_t reader = lanes[a].ipu;
          if (waits_for_[reader] != l) continue;
          waits_for_[reader] = nowhere;
          awake_[awake++] = reader;
        }
        for (std::size_t k = 0; k < 2 && of_->capacity != nowhere; ++k) {
          const std::size_t sender = lane.before[k] == nowhere ? ipu : lanes[lane.before[k]].ipu;
          if (sender == ipu || waits_for_[sender] != l) continue;
          waits_for_[sender] = nowhere;
          awake_[awake++] = sender;
        }
      }
      cursor_[ipu] = i;
    }
    search_value value{0, 0};
    if (left > 0) return {};
    longest_ = 0;
    value.longest = -endless;
    for (std::size_t ipu = 0; ipu < of_->ipus; ++ipu) {
      const amount took = free_[ipu] - of_->offset[ipu];
      value.sum += took;
      if (took > value.longest) {
        value.longest = took;
        longest_ = ipu;
      }
    }
    return value;
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
  dynamic_array<std::size_t> awake_;
  std::size_t longest_ = 0;
};

}  // namespace ipuflow::schedule::impl
