// SPDX-License-Identifier: BSL-1.0
// The cheapest set of blocks that recompute so that a stage fits: a knapsack. Sets of more and more blocks are made in the
// order of the bytes that each frees for its time; one that frees no more in no less time than another goes, and so does one
// that, were parts of blocks allowed, could not beat the best known (Nemhauser and Ullmann, Management Science 15, 1969).
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>

#include <cstddef>

namespace ipuflow::plan::impl {

template <class = void>
class basic_least_recomputation {
 public:
  constexpr basic_least_recomputation(const chain_costs& costs, std::size_t search_limit) : limit_{search_limit} {
    for (std::size_t b = 0; b < costs.blocks(); ++b) {
      const item next{costs.block(b).forward, costs.gain(b), b};
      if (next.gain == 0) continue;
      std::size_t at = items_.size();
      items_.push_back(next);
      for (; at > 0 && better(next, items_[at - 1]); --at) items_[at] = items_[at - 1];
      items_[at] = next;
    }
  }

  /// The least time in which blocks from `first` up to `end` free that many bytes, if it is at most `most`; otherwise `none`.
  constexpr std::size_t time(std::size_t first, std::size_t end, std::size_t gain, std::size_t most) {
    if (gain == 0) return 0;
    take(first, end);
    return search(gain, most);
  }

  /// The blocks of such a set, in their order; of sets that take the same time the one whose blocks are the last.
  constexpr dynamic_array<std::size_t> set(std::size_t first, std::size_t end, std::size_t gain) {
    dynamic_array<std::size_t> chosen;
    std::size_t left = time(first, end, gain, largest_sum);
    for (std::size_t b = first; b < end && gain > 0; ++b) {
      if (time(b + 1, end, gain, left) != none) continue;
      for (const item& i : items_) {
        if (i.block != b) continue;
        chosen.push_back(b);
        left -= i.time;
        gain -= i.gain < gain ? i.gain : gain;
      }
    }
    return chosen;
  }

  [[nodiscard]] constexpr bool gave_up() const { return looked_at_ > limit_; }

 private:
  struct item {
    std::size_t time = 0;
    std::size_t gain = 0;
    std::size_t block = 0;
  };
  struct total {
    std::size_t time = 0;
    std::size_t gain = 0;
  };

  static constexpr bool better(const item& a, const item& b) {
    const auto of_a = product(a.gain, b.time), of_b = product(b.gain, a.time);
    return of_a > of_b || (of_a == of_b && a.gain > b.gain);
  }

  /// Those of the blocks, with the sums of all before each.
  constexpr void take(std::size_t first, std::size_t end) {
    taken_.clear();
    before_.clear();
    total sum;
    for (const item& i : items_) {
      if (i.block < first || i.block >= end) continue;
      taken_.push_back(i);
      before_.push_back(sum);
      sum = {sum.time + i.time, sum.gain + i.gain};
    }
    before_.push_back(sum);
  }

  /// A lower limit of the time for a part of what an item frees.
  static constexpr std::size_t part_of(const item& i, std::size_t gain) {
    if (i.time >= i.gain) return gain * (i.time / i.gain);
    return i.time == 0 ? 0 : rounded_up(gain, rounded_up(i.gain, i.time));
  }

  constexpr std::size_t search(std::size_t gain, std::size_t most) {
    std::size_t beaten = most + 1;  // a time below it is wanted
    unit_ = {};
    for (const item& i : taken_) unit_ = {divisor(i.time, unit_.time), divisor(i.gain, unit_.gain)};
    if (unit_.gain > 1) gain = rounded_up(gain, unit_.gain) * unit_.gain;
    current_.clear();
    current_.push_back({});
    critical_ = taken_.size();
    if (!worth(0, {}, gain, beaten)) current_.clear();
    for (std::size_t next = 0; next < taken_.size() && !current_.empty() && !gave_up(); ++next) {
      merge(taken_[next]);
      std::size_t kept = 0;
      critical_ = taken_.size();
      for (const total& sum : merged_) {
        if (worth(next + 1, sum, gain, beaten)) merged_[kept++] = sum;
      }
      merged_.cut(kept);
      looked_at_ += kept;
      current_.swap(merged_);
    }
    return beaten > most ? none : beaten;
  }

  /// True if a set can still be part of one that beats the best. The set filled up with whole blocks may be a better one itself.
  constexpr bool worth(std::size_t next, const total& sum, std::size_t gain, std::size_t& beaten) {
    if (sum.gain >= gain) {
      if (sum.time < beaten) beaten = sum.time;
      return false;
    }
    const std::size_t wanted = before_[next].gain + gain - sum.gain;
    if (before_[taken_.size()].gain < wanted) return false;
    std::size_t last = critical_ < taken_.size() ? critical_ + 1 : taken_.size();  // sets come with more and more gain
    while (last > next + 1 && before_[last - 1].gain >= wanted) --last;
    critical_ = last - 1;
    const std::size_t whole = sum.time + before_[critical_].time - before_[next].time;
    if (whole + taken_[critical_].time < beaten) beaten = whole + taken_[critical_].time;
    const std::size_t least = whole + part_of(taken_[critical_], wanted - before_[critical_].gain);
    return (unit_.time > 1 ? rounded_up(least, unit_.time) * unit_.time : least) < beaten;
  }

  /// The largest common divisor.
  static constexpr std::size_t divisor(std::size_t a, std::size_t b) {
    while (b != 0) {
      const std::size_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /// The sets so far, without and with an item, by time; each frees more than the one before.
  constexpr void merge(const item& i) {
    merged_.clear();
    std::size_t without = 0, with = 0;
    while (with < current_.size()) {
      const total added{current_[with].time + i.time, current_[with].gain + i.gain};
      const bool first = without < current_.size() &&
                         (current_[without].time < added.time ||
                          (current_[without].time == added.time && current_[without].gain >= added.gain));
      const total& sum = first ? current_[without] : added;
      first ? ++without : ++with;
      if (merged_.empty() || sum.gain > merged_.back().gain) merged_.push_back(sum);
    }
  }

  /// An array that keeps its room.
  template <class T>
  class stack {
   public:
    constexpr void clear() { size_ = 0; }
    constexpr void cut(std::size_t size) { size_ = size; }
    constexpr void push_back(const T& value) {
      if (size_ == all_.size()) all_.push_back(value);
      all_[size_++] = value;
    }
    constexpr void swap(stack& other) {
      dynamic_array<T> kept = static_cast<dynamic_array<T>&&>(all_);
      all_ = static_cast<dynamic_array<T>&&>(other.all_);
      other.all_ = static_cast<dynamic_array<T>&&>(kept);
      const std::size_t size = size_;
      size_ = other.size_;
      other.size_ = size;
    }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() { return all_.data(); }
    constexpr T* end() { return all_.data() + size_; }
    constexpr T& operator[](std::size_t at) { return all_[at]; }
    constexpr T& back() { return all_[size_ - 1]; }

   private:
    dynamic_array<T> all_{};
    std::size_t size_ = 0;
  };

  dynamic_array<item> items_{};  // that free bytes, the best first
  stack<item> taken_{};
  stack<total> before_{};
  stack<total> current_{};
  stack<total> merged_{};
  total unit_{};  // that all times and all gains are multiples of
  std::size_t critical_ = 0;
  std::size_t limit_ = 0;
  std::size_t looked_at_ = 0;
};

using least_recomputation = basic_least_recomputation<>;

}  // namespace ipuflow::plan::impl
