// SPDX-License-Identifier: BSL-1.0
// The earliest time of every operation in any schedule: behind what it reads, and behind the work that its IPU must have done
// by then. That work is what the micro-batch and those before it need, and enough to free the memory that the operation takes:
// of all ways to free it the one that is over first. On the mirrored instance these are the latest times.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>
#include <initializer_list>
#include <type_traits>

namespace ipuflow::schedule::impl {

class search_heads {
 public:
  static constexpr std::size_t usual_effort = 200'000'000;  ///< options and operations that are looked at: about a second
  static constexpr std::size_t effort_of_constants = 5'500;  ///< within half of what compilers compute unless told otherwise

  constexpr explicit search_heads(const search_instance& of, std::size_t effort = usual_effort)
      : of_{&of},
        most_tried_{std::is_constant_evaluated() && effort > effort_of_constants ? effort_of_constants : effort},
        start{of.operations()},
        behind_{of.lanes.size() * of.lanes.size()},
        count_{of.lanes.size()},
        most_{of.lanes.size()} {
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      for (const std::size_t b : of.lanes[l].before) {
        if (b == nowhere) continue;
        behind_[l * of.lanes.size() + b] = true;
        for (std::size_t a = 0; a < b; ++a) {
          if (behind_[b * of.lanes.size() + a]) behind_[l * of.lanes.size() + a] = true;
        }
      }
    }
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      for (std::size_t m = 0; m < of.micro_batches; ++m) start[l * of.micro_batches + m] = of.release[of.lanes[l].ipu];
    }
  }

  /// Raises the times until nothing moves, or `most` rounds; behind the chain of passes alone once as much has been tried as is worth it.
  constexpr void run(std::size_t most) {
    for (std::size_t round = 0; round < most; ++round) {
      bool moved = false;
      for (std::size_t l = 0; l < of_->lanes.size(); ++l) {
        for (std::size_t m = 0; m < of_->micro_batches; ++m) moved = raise(l, m) || moved;
      }
      if (!moved) return;
    }
  }

  /// False if the memory is too small for any schedule.
  bool feasible = true;

 private:
  constexpr bool raise(std::size_t l, std::size_t m) {
    const search_lane& lane = of_->lanes[l];
    const std::size_t id = l * of_->micro_batches + m;
    amount at = start[id];
    if (m > 0 && start[id - 1] + lane.time > at) at = start[id - 1] + lane.time;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t b = lane.before[k];
      if (b == nowhere) continue;
      const amount ready = start[b * of_->micro_batches + m] + of_->lanes[b].time + lane.lag[k];
      if (ready > at) at = ready;
    }
    const amount after = behind_work(l, m, at);
    if (after >= endless) feasible = false;
    else if (after > at) at = after;
    const bool moved = at > start[id];
    start[id] = at;
    return moved;
  }

  /// The end of the work that must be over before.
  constexpr amount behind_work(std::size_t l, std::size_t m, amount at_least) {
    if (tried_ > most_tried_) return 0;
    const search_lane& lane = of_->lanes[l];
    const auto& mine = of_->of_ipu[lane.ipu];
    const std::size_t lanes = of_->lanes.size();
    for (const std::size_t k : mine) {
      const bool needs = behind_[l * lanes + k];
      count_[k] = k == l ? m : needs ? m + 1 : 0;
      most_[k] = k == l || behind_[k * lanes + l] ? m : of_->micro_batches;
    }
    pool_ = 0;
    must_free_ = stuck_before_freeing(mine, l);
    const amount needs = lane.during > 0 ? lane.during : lane.memory;
    if (!must_free_ && held(mine) + needs <= of_->limit[lane.ipu]) return work_end(mine, 0, freeing{}, freeing{});
    const std::size_t chunks = of_->adds[lane.ipu].size();
    if (chunks > 2) return 0;
    return over_options(mine, of_->limit[lane.ipu] - needs, at_least);
  }

  /// True if the IPU, with this operation and nothing freed before it, has no room left for what must be added before anything
  /// can be freed.
  constexpr bool stuck_before_freeing(const dynamic_array<std::size_t>& mine, std::size_t l) const {
    if (of_->lanes[l].memory <= 0) return false;
    const std::size_t lanes = of_->lanes.size();
    amount sum = 0;
    for (const std::size_t k : mine) {
      if (of_->lanes[k].memory < 0 && count_[k] > 0) return false;
      if (of_->lanes[k].memory <= 0) continue;
      bool by_all = true;  // all that free wait for this lane
      for (const std::size_t f : mine) {
        if (of_->lanes[f].memory < 0 && !behind_[f * lanes + k]) by_all = false;
      }
      std::size_t n = count_[k] + (k == l ? 1 : 0);
      if (by_all && n == 0) n = 1;
      sum += static_cast<amount>(n) * of_->lanes[k].memory;
    }
    return sum > of_->limit[of_->lanes[l].ipu];
  }

  constexpr amount held(const dynamic_array<std::size_t>& mine) const {
    amount sum = 0;
    for (const std::size_t k : mine) sum += static_cast<amount>(count_[k]) * of_->lanes[k].memory;
    return sum;
  }

  /// The lane of a chunk that frees memory first in a micro-batch, and the one behind that, if any; none where three free: backwards in time
  /// a pass for inputs that adds bytes, the recomputation before it and the forward.
  struct freeing {
    std::size_t leader = nowhere;
    std::size_t follower = nowhere;
  };
  constexpr freeing freeing_of(const dynamic_array<std::size_t>& mine, std::size_t chunk) const {
    freeing found;
    for (const std::size_t k : mine) {
      if (of_->lanes[k].chunk != chunk || of_->lanes[k].memory >= 0) continue;
      if (found.follower != nowhere) return {};
      (found.leader == nowhere ? found.leader : found.follower) = k;
    }
    return found;
  }

  constexpr amount over_options(const dynamic_array<std::size_t>& mine, amount room, amount at_least) {
    const std::size_t ipu = of_->lanes[mine[0]].ipu;
    const std::size_t chunks = of_->adds[ipu].size();
    const freeing one = freeing_of(mine, 0);
    const freeing two = chunks > 1 ? freeing_of(mine, 1) : freeing{};
    if (one.leader == nowhere || (chunks > 1 && two.leader == nowhere)) return 0;
    dynamic_array<std::size_t> kept(mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) kept[i] = count_[mine[i]];
    const std::size_t from = count_[one.leader];
    amount best = endless;
    for (std::size_t x = from; x <= most_[one.leader]; ++x) {
      const std::size_t first = chunks > 1 ? count_of(kept, mine, two.leader) : 0;
      const std::size_t last = chunks > 1 ? most_[two.leader] : 0;
      for (std::size_t y = first; y <= last; ++y) {
        tried_ += 4;
        if (tried_ > most_tried_) return 0;
        for (std::size_t i = 0; i < mine.size(); ++i) count_[mine[i]] = kept[i];
        if (!raise_to(mine, one.leader, x) || (chunks > 1 && !raise_to(mine, two.leader, y))) continue;
        const amount missing = held(mine) - room;
        if (!pool_for(one, two, missing)) continue;
        if (must_free_ && pool_ == 0 && count_[one.leader] == 0 && (chunks == 1 || count_[two.leader] == 0)) continue;
        if (start_of_first(mine) + work(mine) >= best) break;
        const amount end = work_end(mine, pool_, one, two);
        if (end < best) best = end;
        if (best <= at_least) return best;
      }
    }
    return best;
  }

  constexpr std::size_t count_of(const dynamic_array<std::size_t>& kept, const dynamic_array<std::size_t>& mine, std::size_t lane) const {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i] == lane) return kept[i];
    }
    return 0;
  }

  /// Counts `n` of a lane, and of those that these wait for; false if there are not as many.
  constexpr bool raise_to(const dynamic_array<std::size_t>& mine, std::size_t lane, std::size_t n) {
    if (count_[lane] < n) count_[lane] = n;
    if (count_[lane] > most_[lane]) return false;
    for (const std::size_t k : mine) {
      if (behind_[lane * of_->lanes.size() + k] && count_[k] < count_[lane]) count_[k] = count_[lane];
      if (count_[k] > most_[k]) return false;
    }
    return true;
  }

  /// The operations of a follower that can be over: as many as of its leader, and none behind the one that is asked about.
  constexpr std::size_t up_to(const freeing& f) const {
    return count_[f.leader] < most_[f.follower] ? count_[f.leader] : most_[f.follower];
  }

  /// The number of operations of the followers that free what is still missing.
  constexpr bool pool_for(const freeing& one, const freeing& two, amount missing) {
    pool_ = 0;
    if (missing <= 0) return true;
    amount each = 0;
    std::size_t there = 0;
    for (const freeing* f : {&one, &two}) {
      if (f->follower == nowhere) continue;
      const amount frees = -of_->lanes[f->follower].memory;
      if (frees > each) each = frees;
      if (up_to(*f) > count_[f->follower]) there += up_to(*f) - count_[f->follower];
    }
    if (each == 0) return false;
    pool_ = static_cast<std::size_t>((missing + each - 1) / each);
    return pool_ <= there;
  }

  constexpr amount start_of_first(const dynamic_array<std::size_t>& mine) const { return start[mine[0] * of_->micro_batches]; }

  constexpr amount work(const dynamic_array<std::size_t>& mine) const {
    amount sum = 0;
    for (const std::size_t k : mine) sum += static_cast<amount>(count_[k]) * of_->lanes[k].time;
    return sum;
  }

  /// The end of the counted work if it can be interrupted: the latest of all "from here on, all that comes later". Of the pool
  /// the earliest are taken.
  constexpr amount work_end(const dynamic_array<std::size_t>& mine, std::size_t pool, const freeing& first, const freeing& second) {
    const std::size_t count = of_->micro_batches;
    std::size_t left[2] = {0, 0};
    const freeing* const chunk[2] = {&first, &second};
    const std::size_t from[2] = {first.follower, second.follower};
    amount each = endless;
    for (std::size_t taken = 0; taken < pool; ++taken) {
      std::size_t next = 2;
      amount soonest = endless;
      for (std::size_t i = 0; i < 2; ++i) {
        if (from[i] == nowhere || count_[from[i]] + left[i] >= up_to(*chunk[i])) continue;
        const amount at = start[from[i] * count + count_[from[i]] + left[i]];
        if (at < soonest) {
          soonest = at;
          next = i;
        }
      }
      if (next == 2) break;
      ++left[next];
    }
    for (const std::size_t f : from) {
      if (f != nowhere && of_->lanes[f].time < each) each = of_->lanes[f].time;  // the quicker pass may free as much
    }
    constexpr std::size_t most_lanes = 8;
    std::size_t n[most_lanes] = {};
    amount time[most_lanes] = {};
    const std::size_t lanes = mine.size() < most_lanes ? mine.size() : most_lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
      n[i] = count_[mine[i]];
      time[i] = of_->lanes[mine[i]].time;
      for (std::size_t f = 0; f < 2; ++f) {
        if (pool == 0 || mine[i] != from[f]) continue;
        n[i] += left[f];
        if (left[f] > 0 && each < time[i]) time[i] = each;
      }
    }
    amount latest = 0;
    amount sum = 0;
    while (true) {
      std::size_t next = most_lanes;
      amount at = -endless;
      for (std::size_t i = 0; i < lanes; ++i) {
        if (n[i] == 0) continue;
        const amount begins = start[mine[i] * count + n[i] - 1];
        if (begins > at) {
          at = begins;
          next = i;
        }
      }
      if (next == most_lanes) return latest;
      sum += time[next];
      --n[next];
      ++tried_;
      if (at + sum > latest) latest = at + sum;
    }
  }

  const search_instance* of_;
  std::size_t most_tried_;

 public:
  dynamic_array<amount> start;  ///< of each operation, lane by lane

 private:
  dynamic_array<bool> behind_;  ///< a lane behind another, directly or not
  dynamic_array<std::size_t> count_;
  dynamic_array<std::size_t> most_;
  std::size_t tried_ = 0;
  std::size_t pool_ = 0;
  bool must_free_ = false;  ///< something has to be freed before the operation that is asked about
};

}  // namespace ipuflow::schedule::impl
