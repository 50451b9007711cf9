// SPDX-License-Identifier: BSL-1.0
// The chain of operations that decides how long a run takes: each starts the moment the one before it lets it, by
// ending on the same IPU or by its message arriving. Shortening anything else changes nothing.
#pragma once

#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// An operation with its IPU and its time.
struct timed_op : placed {
  std::size_t ipu = 0;
  span_of_time span{};

  friend constexpr bool operator==(const timed_op&, const timed_op&) = default;
};

/// From the first operation of the chain to the last one of the run.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr dynamic_array<timed_op> critical_path(const T& t, const Costs& c = {}) {
  dynamic_array<timed_op> all;
  dynamic_array<std::size_t> before;                         // the operation that this one waited for
  dynamic_array<std::size_t> newest{t.where.ipus, nowhere};  // of each IPU
  const std::size_t count = t.where.micro_batches;
  dynamic_array<std::size_t> made{2 * t.where.seats() * count, nowhere};
  std::size_t last = nowhere;
  for_each_timed(t, c, [&](std::size_t ipu, std::size_t seat, const placed& o, span_of_time span) {
    const std::size_t self = all.size();
    std::size_t cause = newest[ipu];
    if (cause != nowhere && all[cause].span == span) cause = before[cause];  // together with the one before
    const bool back = is_backward(o.kind);
    const std::size_t from = read_from(t.where, o);
    impl::for_each_seat(t.where, from, o.micro_batch, [&](std::size_t s, std::size_t maker) {
      const std::size_t source = made[(2 * s + (back ? 1 : 0)) * count + o.micro_batch];
      const std::size_t ready = all[source].span.finish + (maker == ipu ? 0 : impl::message_time(c, from));
      if (ready == span.start && (cause == nowhere || all[cause].span.finish < span.start)) cause = source;
    });
    all.push_back({{o}, ipu, span});
    before.push_back(cause);
    newest[ipu] = self;
    if (o.kind == pass::forward || back) made[(2 * seat + (back ? 1 : 0)) * count + o.micro_batch] = self;
    if (last == nowhere || span.finish > all[last].span.finish) last = self;
  });
  dynamic_array<timed_op> path;
  for (std::size_t i = last; i != nowhere; i = before[i]) path.push_back(all[i]);
  for (std::size_t i = 0; i < path.size() / 2; ++i) {
    const timed_op kept = path[i];
    path[i] = path[path.size() - 1 - i];
    path[path.size() - 1 - i] = kept;
  }
  return path;
}

}  // namespace ipuflow::schedule
