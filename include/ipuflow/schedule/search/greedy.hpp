// SPDX-License-Identifier: BSL-1.0
// Orders by a greedy rule: whenever an IPU is free it takes, of the operations that are there and fit into its memory, that
// with the smallest key; it may wait a while for one with a smaller key still. Room is kept for what a micro-batch adds
// later on the same IPU, so that the rule does not get stuck; where an IPU has several chunks it can, backwards in time, and says so.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The parameters of the rule besides the keys.
struct greedy_choice {
  amount patience = 0;     ///< of 256 parts of the time of a pass that it could do instead of waiting
  amount weights = 0;      ///< the same for a gradient for weights
  amount room = 0;         ///< bytes that gradients for weights keep free before anything else is done
  amount first_chunk = 0;  ///< bytes less than the limit that the first chunk of an IPU leaves free
  amount spare = 0;        ///< bytes less than the limit that all leave free
  bool blocks = false;     ///< an operation may begin before its channel has room for what it sends
};

class greedy_orders {
 public:
  constexpr explicit greedy_orders(const search_instance& of)
      : of_{&of}, key{of.operations()}, end_{of.operations()}, next_{of.lanes.size()}, lanes_{of.ipus} {
    for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) lanes_[ipu].held = dynamic_array<amount>(of.adds[ipu].size());
  }

  /// Writes the orders; false if it got stuck. Of an order that is kept only gradients for weights move.
  constexpr bool run(search_orders& to, const greedy_choice& by, const search_orders* kept = nullptr) {
    kept_ = kept;
    start(to);
    std::size_t left = of_->operations();
    while (left > 0) {
      std::size_t ipu = 0;
      for (std::size_t i = 1; i < of_->ipus; ++i) {
        if (lanes_[i].decides < lanes_[ipu].decides) ipu = i;
      }
      if (lanes_[ipu].decides >= endless) return false;
      if (decide(ipu, to, by)) --left;
    }
    return true;
  }

 private:
  struct state {
    amount decides = 0;  ///< when the IPU looks for work next
    amount free_at = 0;
    amount total = 0;
    amount again = 0;  ///< part of it that was made again, or belongs to that: it is freed without more memory
    dynamic_array<amount> held{};
    std::size_t at = 0;
    std::size_t sends_to = nowhere;  ///< the IPU that a send waits for
    std::size_t sends = 0;           ///< the operation whose send that is
    std::size_t next_kept = 0;       ///< where its next pass is in an order that is kept
  };

  constexpr void start(search_orders& to) {
    to.first = dynamic_array<std::size_t>(of_->ipus + 1);
    if (to.lanes.size() != of_->operations()) to.lanes = dynamic_array<std::size_t>(of_->operations());
    for (std::size_t& n : next_) n = 0;
    for (std::size_t ipu = 0; ipu < of_->ipus; ++ipu) {
      state& s = lanes_[ipu];
      s.decides = s.free_at = of_->release[ipu];
      s.total = s.again = 0;
      for (amount& h : s.held) h = 0;
      s.sends_to = nowhere;
      s.at = s.next_kept = to.first[ipu];
      to.first[ipu + 1] = s.at + of_->of_ipu[ipu].size() * of_->micro_batches;
    }
  }

  constexpr amount ready_at(const search_lane& lane, std::size_t m) const {
    amount ready = 0;
    if (lane.kind == pass::recompute && kept_ == nullptr) {
      ready = ready_at_use(of_->lanes[lane.after[0]], m) - lane.time;  // no earlier than it is of use
      if (ready >= endless / 2) return endless;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t b = lane.before[k];
      if (b == nowhere) continue;
      if (next_[b] <= m) return endless;
      const amount there = end_[b * of_->micro_batches + m] + lane.lag[k];
      if (there > ready) ready = there;
    }
    return ready;
  }

  /// The arrival of the gradient for a backward that reads activations that are made again; 0 where it reads nothing else.
  constexpr amount ready_at_use(const search_lane& back, std::size_t m) const {
    if (back.before[1] == nowhere || !is_backward(back.kind)) return 0;
    const std::size_t b = back.before[0];
    return next_[b] <= m ? endless : end_[b * of_->micro_batches + m] + back.lag[0];
  }

  /// False where the send behind an operation would have to wait for room, if it may not, or for an IPU that, by way of others, waits for
  /// this one. Without any room in channels all sends wait.
  constexpr bool has_room(const search_lane& lane, std::size_t ipu, std::size_t m, bool blocks) const {
    if (of_->capacity == nowhere || lane.reader == nowhere || m < next_[lane.reader] + of_->capacity) return true;
    if (of_->capacity > 0 && !blocks) return false;
    std::size_t to = of_->lanes[lane.reader].ipu;
    while (to != nowhere && to != ipu) to = lanes_[to].sends_to;
    return to == nowhere;
  }

  /// False for a pass that is not the next one of an order that is kept; gradients for weights may be anywhere.
  constexpr bool in_place(const state& s, const search_lane& lane, std::size_t l) const {
    return kept_ == nullptr || lane.kind == pass::backward_weights || kept_->lanes[s.next_kept] == l;
  }

  constexpr bool fits(const state& s, std::size_t ipu, const search_lane& lane, const greedy_choice& by) const {
    if (lane.during <= 0) return true;
    const amount limit = of_->limit[ipu] - by.spare;
    if (s.total + lane.during > limit) return false;
    if (s.held.size() == 1) return s.total - s.again + lane.memory + lane.later <= limit;
    amount held = -s.again;
    for (std::size_t c = 0; c < lane.chunk; ++c) held += s.held[c];
    for (std::size_t c = lane.chunk; c < s.held.size(); ++c) {
      held += s.held[c];
      amount behind = c == lane.chunk ? lane.later : 0;
      for (std::size_t d = c + 1; d < s.held.size(); ++d) behind += of_->adds[ipu][d];
      if (c == 0 && by.first_chunk > behind) behind = by.first_chunk;
      if (held + lane.memory + behind > limit) return false;
    }
    return true;
  }

  constexpr bool decide(std::size_t ipu, search_orders& to, const greedy_choice& by) {
    state& s = lanes_[ipu];
    const amount now = s.decides;
    const std::size_t count = of_->micro_batches;
    std::size_t best = nowhere;
    amount soonest = endless;
    for (const std::size_t l : of_->of_ipu[ipu]) {
      if (next_[l] >= count) continue;
      const search_lane& lane = of_->lanes[l];
      const amount ready = ready_at(lane, next_[l]);
      if (ready >= endless || !fits(s, ipu, lane, by) || !has_room(lane, ipu, next_[l], by.blocks) || !in_place(s, lane, l)) continue;
      if (ready > now) {
        if (ready < soonest) soonest = ready;
      } else if (lane.kind == pass::backward_weights && lane.memory < 0 && s.total + by.room > of_->limit[ipu]) {
        best = l;
        soonest = endless;
        break;
      } else if (best == nowhere || key[l * count + next_[l]] < key[best * count + next_[best]]) {
        best = l;
      }
    }
    if (best == nowhere) {
      s.decides = soonest;
      return false;
    }
    const amount patience = of_->lanes[best].kind == pass::backward_weights ? by.weights : by.patience;
    if (soonest - now < of_->lanes[best].time * patience / 256 && worth_waiting(ipu, best, now, patience, by)) {
      s.decides = soonest;
      return false;
    }
    take(ipu, best, now, to);
    return true;
  }

  /// True if an operation with a smaller key is there soon.
  constexpr bool worth_waiting(std::size_t ipu, std::size_t best, amount now, amount patience, const greedy_choice& by) const {
    const std::size_t count = of_->micro_batches;
    for (const std::size_t l : of_->of_ipu[ipu]) {
      if (next_[l] >= count || key[l * count + next_[l]] >= key[best * count + next_[best]]) continue;
      const search_lane& lane = of_->lanes[l];
      const amount ready = ready_at(lane, next_[l]);
      if (ready > now && ready - now < of_->lanes[best].time * patience / 256 && fits(lanes_[ipu], ipu, lane, by)) return true;
    }
    return false;
  }

  constexpr void take(std::size_t ipu, std::size_t l, amount now, search_orders& to) {
    const search_lane& lane = of_->lanes[l];
    state& s = lanes_[ipu];
    const std::size_t m = next_[l]++;
    const amount end = now + lane.time;
    s.free_at = s.decides = end;
    s.total += lane.memory;
    if (lane.kind == pass::recompute && lane.memory > 0) s.again += lane.memory + of_->lanes[lane.before[0]].memory;
    if (lane.again) s.again += lane.memory;
    s.held[lane.chunk] += lane.memory;
    to.lanes[s.at++] = l;
    if (kept_ != nullptr && lane.kind != pass::backward_weights) step_on(s, ipu, *kept_);
    end_[l * of_->micro_batches + m] = end;
    if (of_->capacity != nowhere) make_room(ipu, lane, m, now);
    for (const std::size_t a : lane.after) {
      if (a == nowhere) continue;
      state& reader = lanes_[of_->lanes[a].ipu];
      amount ready = ready_at(of_->lanes[a], next_[a]);
      if (of_->recomputed > 0 && of_->lanes[a].before[1] != nowhere) {  // what it lacks may be made again by now
        const std::size_t again = of_->lanes[a].before[1];
        const amount other = next_[again] < of_->micro_batches ? ready_at(of_->lanes[again], next_[again]) : endless;
        if (other < ready) ready = other;
      }
      const amount look = ready < reader.free_at ? reader.free_at : ready;
      if (look < reader.decides) reader.decides = look;
    }
  }

  constexpr void step_on(state& s, std::size_t ipu, const search_orders& kept) const {
    do {
      ++s.next_kept;
    } while (s.next_kept < kept.first[ipu + 1] && of_->lanes[kept.lanes[s.next_kept]].kind == pass::backward_weights);
  }

  /// Lets those go on that waited until this IPU takes what they sent before, and makes this one wait for its own send.
  constexpr void make_room(std::size_t ipu, const search_lane& lane, std::size_t m, amount now) {
    for (const std::size_t b : lane.before) {
      if (b == nowhere || of_->lanes[b].ipu == ipu) continue;
      state& sender = lanes_[of_->lanes[b].ipu];
      if (sender.sends_to == ipu && sender.sends == b * of_->micro_batches + m + of_->capacity) {
        sender.sends_to = nowhere;
        const amount end = end_[sender.sends];
        sender.free_at = sender.decides = end < now ? now : end;
      } else {
        const amount look = now < sender.free_at ? sender.free_at : now;
        if (look < sender.decides) sender.decides = look;
      }
    }
    if (lane.reader == nowhere || m < next_[lane.reader] + of_->capacity) return;
    state& s = lanes_[ipu];
    s.sends_to = of_->lanes[lane.reader].ipu;
    s.sends = static_cast<std::size_t>(&lane - of_->lanes.data()) * of_->micro_batches + m;
    s.free_at = s.decides = endless;
  }

  const search_instance* of_;
  const search_orders* kept_ = nullptr;

 public:
  dynamic_array<amount> key;  ///< of each operation, lane by lane

 private:
  dynamic_array<amount> end_;
  dynamic_array<std::size_t> next_;
  dynamic_array<state> lanes_;
};

}  // namespace ipuflow::schedule::impl
