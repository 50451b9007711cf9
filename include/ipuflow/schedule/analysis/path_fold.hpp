// SPDX-License-Identifier: BSL-1.0
// Operations of a path that go on at equal distances, as those of a train do, written once. A path over millions of operations is then as
// long as it has turns.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/repeating_path.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// Adds the operations of a list, from one on, to pieces; both go back in time.
template <class = void>
class basic_path_fold {
 public:
  constexpr basic_path_fold(const dynamic_array<timed_op>& ops, std::size_t begin) : ops_{ops}, begin_{begin} {}

  constexpr void add_to(dynamic_array<path_piece>& pieces) const {
    std::size_t plain = begin_;  // operations before it are in pieces
    for (std::size_t i = begin_; i < ops_.size();) {
      const body found = body_at(i);
      if (found.times == 0) {
        ++i;
        continue;
      }
      add_plain(pieces, plain, i);
      add_body(pieces, i, found);
      i += found.times * found.length;
      plain = i;
    }
    add_plain(pieces, plain, ops_.size());
  }

 private:
  static constexpr std::size_t longest = 4;     // operations of a body: IPUs alternate between few lines
  static constexpr std::size_t least_ops = 32;  // of all its times: else a piece is longer than what it stands for

  struct body {
    std::size_t length = 1;
    std::size_t times = 0;
  };

  constexpr body body_at(std::size_t i) const {
    for (std::size_t length = 1; length <= longest && i + 2 * length <= ops_.size(); ++length) {
      std::size_t end = i + length;
      while (end < ops_.size() && goes_on(i, length, end)) ++end;
      if (end - i >= least_ops) return {length, (end - i) / length};
    }
    return {};
  }

  /// True if an operation is to the one a body's length after it as the last two of its place are.
  constexpr bool goes_on(std::size_t i, std::size_t length, std::size_t at) const {
    const timed_op& o = ops_[at];
    const timed_op& next = ops_[at - length];
    const timed_op& last = ops_[i + (at - i) % length];
    const timed_op& before = ops_[i + (at - i) % length + length];
    const std::size_t every = ops_[i].span.start - ops_[i + length].span.start;
    return o.kind == last.kind && o.stage == last.stage && o.ipu == last.ipu && o.with_next == last.with_next &&
           next.micro_batch - o.micro_batch == last.micro_batch - before.micro_batch && next.step - o.step == last.step - before.step &&
           next.span.start - o.span.start == every && next.span.finish - o.span.finish == every;
  }

  constexpr void add_plain(dynamic_array<path_piece>& pieces, std::size_t begin, std::size_t end) const {
    if (begin == end) return;
    path_piece made;
    made.ops.reserve(end - begin);
    for (std::size_t i = end; i-- > begin;) made.ops.push_back({ops_[i]});
    pieces.push_back(static_cast<path_piece&&>(made));
  }
  /// The last time is at `i`, the first one at the end.
  constexpr void add_body(dynamic_array<path_piece>& pieces, std::size_t i, const body& b) const {
    path_piece made{.times = b.times, .every = ops_[i].span.start - ops_[i + b.length].span.start};
    for (std::size_t k = b.length; k-- > 0;) {
      const timed_op& last = ops_[i + k];
      const timed_op& before = ops_[i + k + b.length];
      made.ops.push_back({ops_[i + k + (b.times - 1) * b.length], last.micro_batch - before.micro_batch, last.step - before.step});
    }
    pieces.push_back(static_cast<path_piece&&>(made));
  }

  const dynamic_array<timed_op>& ops_;
  std::size_t begin_;
};

using path_fold = basic_path_fold<>;

}  // namespace ipuflow::schedule::impl
