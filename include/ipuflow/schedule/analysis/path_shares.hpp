// SPDX-License-Identifier: BSL-1.0
// The parts of a critical path: how much of the makespan each pass of each stage takes, and each link. The one that has most of it must
// become faster.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/repeating_path.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The part of a critical path that one pass of a stage has, or its messages.
struct path_share {
  pass kind = pass::forward;   ///< the pass, or the one whose result is sent
  std::size_t stage = 0;       ///< that runs it, or sends it
  bool message = false;
  std::size_t times = 0;       ///< how many of these are on the path
  std::size_t time = 0;        ///< all of them together

  friend constexpr bool operator==(const path_share&, const path_share&) = default;
};

/// All parts of a path, stage by stage. Two operations that run together count as the one that the path goes through. Together
/// they are as long as the path, and messages that take no time have no part.
template <class = void>
[[nodiscard]] constexpr dynamic_array<path_share> shares_of(const repeating_path& path) {
  std::size_t stages = 0;
  for (const path_piece& piece : path.pieces()) {
    for (const repeated_op& o : piece.ops) stages = o.first.stage >= stages ? o.first.stage + 1 : stages;
  }
  dynamic_array<path_share> all{2 * pass_count * stages};
  const auto add = [&](const timed_op& o, bool message, std::size_t times, std::size_t time) {
    path_share& share = all[(2 * o.stage + (message ? 1 : 0)) * pass_count + static_cast<std::size_t>(o.kind)];
    share.kind = o.kind;
    share.stage = o.stage;
    share.message = message;
    share.times += times;
    share.time += times * time;
  };
  const auto add_message = [&](const timed_op& from, const timed_op& to, std::size_t times) {
    if (to.span.start > from.span.finish) add(from, true, times, to.span.start - from.span.finish);
  };
  timed_op before{};
  bool first = true;
  for (const path_piece& piece : path.pieces()) {
    const std::size_t count = piece.ops.size();
    if (!first) add_message(before, piece.at(0, 0), 1);
    if (piece.times > 1) add_message(piece.at(0, count - 1), piece.at(1, 0), piece.times - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const timed_op& o = piece.ops[i].first;
      add(o, false, piece.times, o.span.finish - o.span.start);
      if (i > 0) add_message(piece.ops[i - 1].first, o, piece.times);
    }
    before = piece.at(piece.times - 1, count - 1);
    first = false;
  }
  dynamic_array<path_share> found;
  for (const path_share& share : all) {
    if (share.times > 0) found.push_back(share);
  }
  return found;
}

}  // namespace ipuflow::schedule
