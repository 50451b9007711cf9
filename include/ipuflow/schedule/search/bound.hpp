// SPDX-License-Identifier: BSL-1.0
// Lower limits of what any schedule of an instance takes, from the earliest times of both directions: of a path through one
// operation, and of the work of an IPU that neither begins early nor ends late (the one-machine bound of job shops, Carlier 1982).
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

/// The argument that gives a lower bound.
enum class limited_by : unsigned char {
  path,  ///< what must be over before an operation, the operation, and what must follow it, memory considered
  work   ///< the work of an IPU behind what must be over before it begins
};

namespace impl {

/// A lower bound of the objective, and the argument.
struct search_bound {
  amount least = 0;
  limited_by kind = limited_by::work;
};

/// The operations of an IPU on one machine that may break them off: of those whose head is past, the one with the longest tail runs. That is over,
/// tails included, when the worst set of them is: its least head, its work, and its least tail (Jackson's preemptive schedule).
class one_machine {
 public:
  constexpr one_machine(const search_instance& of, const search_heads& heads, const search_heads& tails, std::size_t ipu) {
    const auto& mine = of.of_ipu[ipu];
    const std::size_t count = of.micro_batches;
    const std::size_t last = of.operations() - 1;
    jobs_.reserve(mine.size() * count);
    dynamic_array<std::size_t> done(mine.size());
    for (std::size_t i = 0; i < mine.size() * count; ++i) {  // by their heads, which ascend in each lane
      std::size_t next = nowhere;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        if (done[k] == count) continue;
        if (next == nowhere || heads.start[mine[k] * count + done[k]] < heads.start[mine[next] * count + done[next]]) next = k;
      }
      const std::size_t id = mine[next] * count + done[next]++;
      jobs_.push_back({heads.start[id], of.lanes[mine[next]].time, tails.start[last - id]});
    }
  }

  constexpr amount run() {
    amount now = 0, over = 0;
    for (std::size_t next = 0; next < jobs_.size() || !waiting_.empty();) {
      if (waiting_.empty() && jobs_[next].head > now) now = jobs_[next].head;
      while (next < jobs_.size() && jobs_[next].head <= now) wait(next++);
      job& longest = jobs_[waiting_[0]];
      const amount until = next < jobs_.size() ? jobs_[next].head : endless;
      const amount run = longest.left < until - now ? longest.left : until - now;
      now += run;
      longest.left -= run;
      if (longest.left > 0) continue;
      over = now + longest.tail > over ? now + longest.tail : over;
      leave();
    }
    return over;
  }

 private:
  struct job {
    amount head = 0;
    amount left = 0;
    amount tail = 0;
  };

  constexpr amount tail(std::size_t at) const { return jobs_[waiting_[at]].tail; }
  constexpr void swap(std::size_t a, std::size_t b) {
    const std::size_t kept = waiting_[a];
    waiting_[a] = waiting_[b];
    waiting_[b] = kept;
  }
  constexpr void wait(std::size_t number) {
    std::size_t at = waiting_.size();
    waiting_.push_back(number);
    for (; at > 0 && tail((at - 1) / 2) < tail(at); at = (at - 1) / 2) swap(at, (at - 1) / 2);
  }
  constexpr void leave() {
    waiting_[0] = waiting_.back();
    waiting_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t most = at;
      for (const std::size_t below : {2 * at + 1, 2 * at + 2}) {
        if (below < waiting_.size() && tail(below) > tail(most)) most = below;
      }
      if (most == at) return;
      swap(at, most);
      at = most;
    }
  }

  dynamic_array<job> jobs_{};
  dynamic_array<std::size_t> waiting_{};  // a heap, the longest tail first
};

/// A lower limit of the objective from heads of both directions: of each operation on its own, and of the work of an IPU that
/// neither begins early nor ends late.
constexpr search_bound bound_of(const search_instance& of, const search_heads& heads, const search_heads& tails, amount latest) {
  const std::size_t count = of.micro_batches;
  const std::size_t last = of.operations() - 1;
  search_bound bound;
  for (std::size_t id = 0; id <= last; ++id) {
    const amount through = heads.start[id] + of.lanes[id / count].time + tails.start[last - id] - latest;
    if (through > bound.least) bound = {through, limited_by::path};
  }
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    const amount least = one_machine{of, heads, tails, ipu}.run() - latest;
    if (least > bound.least) bound = {least, limited_by::work};
  }
  return bound;
}

}  // namespace impl

}  // namespace ipuflow::schedule
