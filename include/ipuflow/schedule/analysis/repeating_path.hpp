// SPDX-License-Identifier: BSL-1.0
// A chain of operations in closed form: pieces, each of which is repeated some number of times, with micro-batches and times that go on from
// one time to the next. So a chain through a million micro-batches is as short as one through a hundred.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// An operation with its IPU and its time.
struct timed_op : placed {
  std::size_t ipu = 0;
  span_of_time span{};

  friend constexpr bool operator==(const timed_op&, const timed_op&) = default;
};

/// An operation of a chain, as it is the first time, and what is added to it each further time; a micro-batch may be added that is
/// one less than zero, where they run backwards.
struct repeated_op {
  timed_op first{};
  std::size_t micro_batches = 0;
  std::size_t steps = 0;

  friend constexpr bool operator==(const repeated_op&, const repeated_op&) = default;
};

/// Operations that follow each other `times` times, each time `every` later than the time before.
struct path_piece {
  dynamic_array<repeated_op> ops{};  ///< of one time, in order
  std::size_t times = 1;
  std::size_t every = 0;

  /// One operation of one time, both from 0.
  constexpr timed_op at(std::size_t time, std::size_t index) const {
    timed_op o = ops[index].first;
    o.micro_batch += time * ops[index].micro_batches;
    o.step += time * ops[index].steps;
    o.span.start += time * every;
    o.span.finish += time * every;
    return o;
  }
};

template <class = void>
class basic_repeating_path {
 public:
  constexpr void push_back(path_piece piece) {
    if (piece.ops.empty()) return;
    starts_.push_back(size_);
    size_ += piece.times * piece.ops.size();
    pieces_.push_back(static_cast<path_piece&&>(piece));
  }

  /// In the order of time; what is not repeated is a piece that comes once.
  [[nodiscard]] constexpr const dynamic_array<path_piece>& pieces() const { return pieces_; }
  /// The number of operations, all times counted.
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  constexpr timed_op operator[](std::size_t index) const {
    std::size_t low = 0;
    for (std::size_t high = pieces_.size(); high - low > 1;) {
      const std::size_t middle = low + (high - low) / 2;
      (starts_[middle] <= index ? low : high) = middle;
    }
    const std::size_t within = index - starts_[low];
    return pieces_[low].at(within / pieces_[low].ops.size(), within % pieces_[low].ops.size());
  }
  [[nodiscard]] constexpr timed_op back() const { return (*this)[size_ - 1]; }

  /// Reads all operations in order, each time counted.
  class iterator {
   public:
    constexpr iterator(const dynamic_array<path_piece>& pieces, std::size_t piece) : pieces_{&pieces}, piece_{piece} {}
    constexpr timed_op operator*() const { return (*pieces_)[piece_].at(time_, index_); }
    constexpr iterator& operator++() {
      const path_piece& p = (*pieces_)[piece_];
      if (++index_ < p.ops.size()) return *this;
      index_ = 0;
      if (++time_ < p.times) return *this;
      time_ = 0;
      ++piece_;
      return *this;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.piece_ == b.piece_ && a.time_ == b.time_ && a.index_ == b.index_;
    }

   private:
    const dynamic_array<path_piece>* pieces_;
    std::size_t piece_;
    std::size_t time_ = 0;
    std::size_t index_ = 0;
  };
  [[nodiscard]] constexpr iterator begin() const { return {pieces_, 0}; }
  [[nodiscard]] constexpr iterator end() const { return {pieces_, pieces_.size()}; }

 private:
  dynamic_array<path_piece> pieces_{};
  dynamic_array<std::size_t> starts_{};  // the operations before each piece
  std::size_t size_ = 0;
};

using repeating_path = basic_repeating_path<>;

}  // namespace ipuflow::schedule
