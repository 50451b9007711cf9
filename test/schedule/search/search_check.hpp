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
#include <utility>
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

/// What is done with activations, and the room of channels, as a search was told and says.
struct treatment {
  std::vector<schedule::stash_choice> of{};  ///< each stage; empty: all are kept
  std::size_t capacity = schedule::nowhere;

  [[nodiscard]] bool is(schedule::stash_choice how, std::size_t stage) const { return !of.empty() && of[stage] == how; }
};

inline treatment treatment_of(const schedule::searched& found, std::size_t capacity = schedule::nowhere) {
  treatment made{.capacity = capacity};
  for (const schedule::stash_choice how : found.stashes) made.of.push_back(how);
  return made;
}

/// The time of a pass, and the bytes that it adds at its beginning, when its own work is over, and at its end.
struct effect {
  std::size_t time = 0;
  std::ptrdiff_t at_first = 0, when_worked = 0, at_last = 0;
};

template <class Costs>
effect effect_of(schedule::pass kind, std::size_t stage, const Costs& costs, const schedule::search_memory& memory, const treatment& by) {
  using schedule::pass;
  using schedule::stash_choice;
  const auto& bytes = memory.of(stage);
  const auto rest = [&](stash_choice how) { return bytes.after_forward - static_cast<std::ptrdiff_t>(memory.kept(how, stage)); };
  effect made{.time = costs.of(kind, stage)};
  if (kind == pass::recompute) {
    if (made.time == 0) made.time = costs.of(pass::forward, stage);
    made.at_last = rest(stash_choice::recomputed);
  }
  if (kind == pass::forward) made.when_worked = bytes.after_forward;
  if (kind == pass::forward && by.is(stash_choice::recomputed, stage)) made.when_worked -= rest(stash_choice::recomputed);
  if (schedule::is_backward(kind)) made.at_last += bytes.after_inputs;
  if (kind == pass::backward || kind == pass::backward_weights) made.at_last += bytes.after_weights;
  if (!by.is(stash_choice::offloaded, stage)) return made;
  if (kind == pass::forward) {
    made.time += memory.offloading(stage).send_time;
    made.at_last -= rest(stash_choice::offloaded);
  } else if (schedule::is_backward(kind)) {
    made.time += memory.offloading(stage).fetch_time;
    made.at_first += rest(stash_choice::offloaded);
  }
  return made;
}

/// Runs a table by its times: an operation begins when its IPU is free and what it reads has arrived; an IPU is free when what it has sent
/// finds room, which messages leave when they are read. Memory is looked at whenever it changes.
template <class Where, class Costs>
walked walk(const schedule::table& t, const Where& where, const Costs& costs, const schedule::search_memory& memory, const treatment& by = {}) {
  using schedule::pass;
  std::map<std::tuple<bool, std::size_t, std::size_t>, std::size_t> there;  // (backward, stage, micro-batch) -> end
  std::map<std::tuple<bool, std::size_t, std::size_t>, std::size_t> begun;
  const auto ipu_of = [&](std::size_t stage) { return where.ipu_of(where.first_seat(stage), 0); };
  const auto arrives = [&](bool back, std::size_t from, std::size_t m, std::size_t ipu) {
    const auto made = there.find({back, from, m});
    if (made == there.end()) return std::size_t(-1);
    return made->second + (ipu_of(from) == ipu ? 0 : schedule::impl::message_time(costs, from));
  };
  const auto room = [&](const schedule::placed& sent, std::size_t ipu) -> std::size_t {  // from when on its sender goes on
    const bool back = schedule::is_backward(sent.kind);
    if ((!back && sent.kind != pass::forward) || by.capacity == schedule::nowhere || sent.micro_batch < by.capacity) return 0;
    if (back ? sent.stage == 0 : sent.stage + 1 == where.stages) return 0;
    const std::size_t to = back ? sent.stage - 1 : sent.stage + 1;
    if (ipu_of(to) == ipu) return 0;
    const auto read = begun.find({back, to, sent.micro_batch - by.capacity});
    return read == begun.end() ? std::size_t(-1) : read->second;
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
        std::size_t ready = at[ipu] == 0 ? 0 : room(t.rows[ipu][at[ipu] - 1], ipu);
        if (ready == std::size_t(-1)) break;
        if (o.kind == pass::forward && o.stage > 0) ready = std::max(ready, arrives(false, o.stage - 1, o.micro_batch, ipu));
        if (back && o.stage + 1 < where.stages) ready = std::max(ready, arrives(true, o.stage + 1, o.micro_batch, ipu));
        if (ready == std::size_t(-1)) break;
        const std::size_t start = std::max(now[ipu], ready);
        if (at[ipu] == 0) first[ipu] = start;
        const effect does = effect_of(o.kind, o.stage, costs, memory, by);
        now[ipu] = start + does.time;
        if (o.kind == pass::forward || back) there[{back, o.stage, o.micro_batch}] = now[ipu];
        if (o.kind == pass::forward || back) begun[{back, o.stage, o.micro_batch}] = start;
        for (const std::ptrdiff_t change : {does.at_first, does.when_worked, does.at_last}) {
          held[ipu] += change;
          if (held[ipu] > static_cast<std::ptrdiff_t>(memory.limit(ipu))) over.insert(ipu);
          found.peak = std::max(found.peak, static_cast<std::size_t>(std::max<std::ptrdiff_t>(held[ipu], 0)));
        }
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
void check_searched(const schedule::searched& found, const Where& where, const Costs& costs, const schedule::search_memory& memory,
                    std::size_t capacity = schedule::nowhere) {
  REQUIRE_FALSE(found.refused);
  CHECK_FALSE(schedule::verify(found.timetable));
  CHECK_FALSE(schedule::verify_channels(found.timetable, capacity == schedule::nowhere ? where.micro_batches : capacity));
  const walked again = walk(found.timetable, where, costs, memory, treatment_of(found, capacity));
  CHECK(again.makespan == found.makespan);
  CHECK(again.span <= found.span);  // less only where a first forward is later than it could be
  CHECK(again.over == 0);
  CHECK(again.peak == found.peak_bytes);
  CHECK(found.lower_bound <= found.found());
  for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
    std::vector<std::size_t> made(where.stages);
    for (const schedule::placed& o : found.timetable.rows[ipu]) made[o.stage] += o.kind == schedule::pass::recompute ? 1u : 0u;
    for (std::size_t stage = 0; stage < where.stages; ++stage) {
      const bool here = where.ipu_of(where.first_seat(stage), 0) == ipu;
      CHECK(made[stage] == (here && found.stash_of(stage) == schedule::stash_choice::recomputed ? where.micro_batches : 0));
    }
  }
}

/// The shortest schedule by trying all orders, operation by operation, of one treatment; `late` is what each IPU's end is counted from.
template <class Where, class Costs>
class exhaustion {
 public:
  exhaustion(const Where& where, const Costs& costs, const schedule::search_memory& memory, bool span, treatment by = {})
      : where_{where}, costs_{costs}, memory_{memory}, by_{std::move(by)}, late_(where.ipus) {
    std::size_t ready = 0;
    for (std::size_t stage = 0; span && stage < where.stages; ++stage) {
      late_[ipu(stage)] = ready;  // each IPU has one stage here
      ready += costs.of(schedule::pass::forward, stage) + schedule::impl::message_time(costs, stage);
    }
    done_.assign(kinds * where.stages, {});
    free_.assign(where.ipus, 0);
    held_.assign(where.ipus, 0);
    sends_.assign(where.ipus, {schedule::nowhere, 0});
    extend();
  }
  std::size_t best = static_cast<std::size_t>(-1);

 private:
  static constexpr std::size_t kinds = 4;
  std::size_t ipu(std::size_t stage) const { return where_.ipu_of(where_.first_seat(stage), 0); }

  /// Operations are tried in the order of their starts, so that no order of an IPU is missed and none is tried twice too often.
  void extend(std::size_t latest = 0) {
    bool any = false;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for (std::size_t stage = 0; stage < where_.stages; ++stage) {
        if (kind == 3 && !again(stage)) continue;
        const std::size_t m = done_[kinds * stage + kind].size();
        if (m == where_.micro_batches) continue;
        any = true;
        attempt(kind, stage, m, latest);
      }
    }
    if (any) return;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < where_.ipus; ++i) longest = std::max(longest, free_[i] - std::min(free_[i], late_[i]));
    best = std::min(best, longest);
  }
  bool again(std::size_t stage) const { return by_.is(schedule::stash_choice::recomputed, stage); }

  void attempt(std::size_t kind, std::size_t stage, std::size_t m, std::size_t latest) {
    const std::size_t mine = ipu(stage);
    if (sends_[mine].first != schedule::nowhere) return;  // until there is room
    std::size_t ready = 0;
    if (kind == 0 && stage > 0 && !arrived(kinds * (stage - 1), stage - 1, stage, m, ready)) return;
    if (kind == 1 && stage + 1 < where_.stages && !arrived(kinds * (stage + 1) + 1, stage + 1, stage, m, ready)) return;
    if (kind == 1 && done_[kinds * stage + (again(stage) ? 3 : 0)].size() <= m) return;
    if (kind == 2 && done_[kinds * stage + 1].size() <= m) return;
    if (kind == 3 && done_[kinds * stage].size() <= m) return;
    const effect does = effect_of(passes[kind], stage, costs_, memory_, by_);
    std::ptrdiff_t most = held_[mine] + does.at_first;
    most = std::max({most, most + does.when_worked, most + does.when_worked + does.at_last});
    if (most > static_cast<std::ptrdiff_t>(memory_.limit(mine))) return;
    const std::size_t start = std::max(free_[mine], ready);
    if (start < latest) return;
    const std::size_t end = start + does.time;
    if (best != static_cast<std::size_t>(-1) && end >= best + late_[mine]) return;
    const auto free = free_;
    const auto sends = sends_;
    free_[mine] = end;
    held_[mine] += does.at_first + does.when_worked + does.at_last;
    done_[kinds * stage + kind].push_back(end);
    if (kind < 2) take_and_send(kind, stage, m, start);
    extend(start);
    done_[kinds * stage + kind].pop_back();
    held_[mine] -= does.at_first + does.when_worked + does.at_last;
    free_ = free;
    sends_ = sends;
  }

  /// What is read leaves its channel, whose sender may go on; what is made enters one, where the sender may have to wait.
  void take_and_send(std::size_t kind, std::size_t stage, std::size_t m, std::size_t start) {
    if (by_.capacity == schedule::nowhere) return;
    for (std::size_t i = 0; i < where_.ipus; ++i) {
      if (sends_[i].first != kinds * stage + kind || m + by_.capacity < sends_[i].second) continue;
      sends_[i].first = schedule::nowhere;
      free_[i] = std::max(free_[i], start);
    }
    if (kind == 0 ? stage + 1 == where_.stages : stage == 0) return;
    const std::size_t to = kind == 0 ? stage + 1 : stage - 1;
    if (ipu(to) == ipu(stage) || done_[kinds * to + kind].size() + by_.capacity > m) return;
    sends_[ipu(stage)] = {kinds * to + kind, m};
  }
  bool arrived(std::size_t lane, std::size_t from, std::size_t to, std::size_t m, std::size_t& ready) const {
    if (done_[lane].size() <= m) return false;
    ready = done_[lane][m] + (ipu(from) == ipu(to) ? 0 : schedule::impl::message_time(costs_, from));
    return true;
  }

  static constexpr schedule::pass passes[] = {schedule::pass::forward, schedule::pass::backward_inputs, schedule::pass::backward_weights,
                                              schedule::pass::recompute};
  const Where& where_;
  const Costs& costs_;
  const schedule::search_memory& memory_;
  treatment by_;
  std::vector<std::size_t> late_;
  std::vector<std::vector<std::size_t>> done_;
  std::vector<std::size_t> free_;
  std::vector<std::ptrdiff_t> held_;
  std::vector<std::pair<std::size_t, std::size_t>> sends_;  ///< of each IPU: to which lane, and the micro-batch, while it waits
};

/// Calls `visit(treatment)` for all that a memory allows.
template <class Visit>
void for_each_treatment(const schedule::search_memory& memory, std::size_t stages, treatment by, Visit visit) {
  if (by.of.size() == stages) return visit(by);
  const std::size_t stage = by.of.size();
  for (const schedule::stash_choice how : {schedule::stash_choice::kept, schedule::stash_choice::recomputed, schedule::stash_choice::offloaded}) {
    if (!memory.allows(how, stage)) continue;
    by.of.push_back(how);
    for_each_treatment(memory, stages, by, visit);
    by.of.pop_back();
  }
}

/// Orders that a search begins with: they fit the memory, are a timetable, and no shorter than what the search found.
inline void check_start(const schedule::grid& where, const schedule::impl::search_instance& of, const schedule::impl::search_orders& orders,
                        const schedule::searched& found) {
  CHECK(schedule::impl::within_limits(of, orders));
  schedule::searched to;
  const schedule::table rows = schedule::impl::written(where, of, orders, to);
  CHECK_FALSE(schedule::verify(schedule::tabulate<schedule::table>(rows)));
  CHECK(found.makespan <= to.makespan);
}

}  // namespace ipuflow::test
