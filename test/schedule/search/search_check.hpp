// SPDX-License-Identifier: BSL-1.0
// What must hold of anything that was searched for, told apart from the search: a table that is verified, whose channels suffice, a walk
// of its times and of its memory at every instant, and the shortest schedule of a small instance by trying all.
#pragma once

#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <schedule/search/instances.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace ipuflow::test {

inline schedule::grid where_of(const published_search& row) {
  return {row.ipus, row.vee ? 2 * row.ipus : row.ipus, row.micro_batches, row.vee ? schedule::layout::vee : schedule::layout::loop};
}
inline schedule::costs costs_of(const published_search& row) {
  return {row.forward, row.backward_inputs, row.backward_weights, row.communication};
}
inline schedule::search_memory memory_of(const published_search& row) {
  return {{row.after_forward, row.after_inputs, row.after_weights}, row.limit};
}

struct walked {
  std::size_t span = 0;
  std::size_t makespan = 0;
  std::size_t over = 0;  ///< IPUs that hold more than their limit at some instant
  std::size_t peak = 0;
};

/// Runs a table by its times: an operation begins when its IPU is free and what it reads has arrived; every end changes what is held.
template <class Where, class Costs>
walked walk(const schedule::table& t, const Where& where, const Costs& costs, const schedule::search_memory& memory) {
  using schedule::pass;
  std::map<std::tuple<bool, std::size_t, std::size_t>, std::size_t> there;  // (backward, stage, micro-batch) -> end
  const auto ipu_of = [&](std::size_t stage) { return where.ipu_of(where.first_seat(stage), 0); };
  const auto arrives = [&](bool back, std::size_t from, std::size_t m, std::size_t ipu) {
    const auto made = there.find({back, from, m});
    if (made == there.end()) return std::size_t(-1);
    return made->second + (ipu_of(from) == ipu ? 0 : schedule::impl::message_time(costs, from));
  };
  std::vector<std::size_t> at(where.ipus), now(where.ipus), first(where.ipus);
  std::vector<std::ptrdiff_t> held(where.ipus);
  walked found;
  std::set<std::size_t> over;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
      for (; at[ipu] < t.rows[ipu].size(); ++at[ipu]) {
        const schedule::placed o = t.rows[ipu][at[ipu]];
        const bool back = schedule::is_backward(o.kind);
        std::size_t ready = 0;
        if (o.kind == pass::forward && o.stage > 0) ready = arrives(false, o.stage - 1, o.micro_batch, ipu);
        if (back && o.stage + 1 < where.stages) ready = arrives(true, o.stage + 1, o.micro_batch, ipu);
        if (ready == std::size_t(-1)) break;
        const std::size_t start = std::max(now[ipu], ready);
        if (at[ipu] == 0) first[ipu] = start;
        now[ipu] = start + costs.of(o.kind, o.stage);
        if (o.kind == pass::forward || back) there[{back, o.stage, o.micro_batch}] = now[ipu];
        const auto& bytes = memory.of(o.stage);
        if (o.kind == pass::forward) held[ipu] += bytes.after_forward;
        if (back) held[ipu] += bytes.after_inputs;
        if (o.kind == pass::backward || o.kind == pass::backward_weights) held[ipu] += bytes.after_weights;
        if (held[ipu] > static_cast<std::ptrdiff_t>(memory.limit(ipu))) over.insert(ipu);
        found.peak = std::max(found.peak, static_cast<std::size_t>(std::max<std::ptrdiff_t>(held[ipu], 0)));
        found.makespan = std::max(found.makespan, now[ipu]);
        moved = true;
      }
    }
  }
  for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
    if (!t.rows[ipu].empty()) found.span = std::max(found.span, now[ipu] - first[ipu]);
    CHECK(at[ipu] == t.rows[ipu].size());
    CHECK(held[ipu] == 0);
  }
  found.over = over.size();
  return found;
}

/// All that is said of a searched schedule, looked at again.
template <class Where, class Costs>
void check_searched(const schedule::searched& found, const Where& where, const Costs& costs, const schedule::search_memory& memory) {
  REQUIRE_FALSE(found.refused);
  CHECK_FALSE(schedule::verify(found.timetable));
  CHECK_FALSE(schedule::verify_channels(found.timetable, where.micro_batches));
  const walked again = walk(found.timetable, where, costs, memory);
  CHECK(again.makespan == found.makespan);
  CHECK(again.span <= found.span);  // less only where a first forward is later than it could be
  CHECK(again.over == 0);
  CHECK(again.peak == found.peak_bytes);
  CHECK(found.lower_bound <= found.found());
}

/// The shortest schedule by trying all orders, operation by operation; `late` is what each IPU's end is counted from.
template <class Where, class Costs>
class exhaustion {
 public:
  exhaustion(const Where& where, const Costs& costs, const schedule::search_memory& memory, bool span)
      : where_{where}, costs_{costs}, memory_{memory}, late_(where.ipus) {
    std::size_t ready = 0;
    for (std::size_t stage = 0; span && stage < where.stages; ++stage) {
      late_[ipu(stage)] = ready;  // each IPU has one stage here
      ready += costs.of(schedule::pass::forward, stage) + schedule::impl::message_time(costs, stage);
    }
    done_.assign(3 * where.stages, {});
    free_.assign(where.ipus, 0);
    held_.assign(where.ipus, 0);
    extend();
  }
  std::size_t best = static_cast<std::size_t>(-1);

 private:
  std::size_t ipu(std::size_t stage) const { return where_.ipu_of(where_.first_seat(stage), 0); }

  /// Operations are tried in the order of their starts, so that no order of an IPU is missed and none is tried twice too often.
  void extend(std::size_t latest = 0) {
    bool any = false;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      for (std::size_t stage = 0; stage < where_.stages; ++stage) {
        auto& mine = done_[3 * stage + kind];
        const std::size_t m = mine.size();
        if (m == where_.micro_batches) continue;
        any = true;
        std::size_t ready = 0;
        const std::size_t reads = kind == 0 ? stage : kind == 1 ? stage + 1 : stage;
        if (kind == 0 && stage > 0 && !arrived(3 * (stage - 1), stage - 1, stage, m, ready)) continue;
        if (kind == 1 && stage + 1 < where_.stages && !arrived(3 * reads + 1, reads, stage, m, ready)) continue;
        if (kind == 1 && done_[3 * stage].size() <= m) continue;
        if (kind == 2 && done_[3 * stage + 1].size() <= m) continue;
        const auto& bytes = memory_.of(stage);
        const std::ptrdiff_t adds = kind == 0 ? bytes.after_forward : kind == 1 ? bytes.after_inputs : bytes.after_weights;
        if (held_[ipu(stage)] + adds > static_cast<std::ptrdiff_t>(memory_.limit(ipu(stage)))) continue;
        const std::size_t start = std::max(free_[ipu(stage)], ready);
        if (start < latest) continue;
        const std::size_t end = start + costs_.of(passes[kind], stage);
        if (end >= best + late_[ipu(stage)] && best != static_cast<std::size_t>(-1)) continue;
        const std::size_t before = free_[ipu(stage)];
        free_[ipu(stage)] = end;
        held_[ipu(stage)] += adds;
        mine.push_back(end);
        extend(start);
        mine.pop_back();
        held_[ipu(stage)] -= adds;
        free_[ipu(stage)] = before;
      }
    }
    if (any) return;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < where_.ipus; ++i) longest = std::max(longest, free_[i] - std::min(free_[i], late_[i]));
    best = std::min(best, longest);
  }
  bool arrived(std::size_t lane, std::size_t from, std::size_t to, std::size_t m, std::size_t& ready) const {
    if (done_[lane].size() <= m) return false;
    ready = done_[lane][m] + (ipu(from) == ipu(to) ? 0 : schedule::impl::message_time(costs_, from));
    return true;
  }

  static constexpr schedule::pass passes[] = {schedule::pass::forward, schedule::pass::backward_inputs, schedule::pass::backward_weights};
  const Where& where_;
  const Costs& costs_;
  const schedule::search_memory& memory_;
  std::vector<std::size_t> late_;
  std::vector<std::vector<std::size_t>> done_;
  std::vector<std::size_t> free_;
  std::vector<std::ptrdiff_t> held_;
};

}  // namespace ipuflow::test
