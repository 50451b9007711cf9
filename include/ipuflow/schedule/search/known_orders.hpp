// SPDX-License-Identifier: BSL-1.0
// Orders that are not drawn: those of a timetable that is known, and those of the same instance with fewer micro-batches, whose middle
// is repeated.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/keys.hpp>
#include <ipuflow/schedule/search/starts.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The lane of a pass, or `nowhere`.
constexpr std::size_t lane_of(const search_instance& of, std::size_t ipu, pass kind, std::size_t stage) {
  for (const std::size_t l : of.of_ipu[ipu]) {
    if (of.lanes[l].kind == kind && of.lanes[l].stage == stage) return l;
  }
  return nowhere;
}

/// Adds a pass of a timetable to an order; a whole backward is both of its halves, where these are passes of their own.
constexpr bool add_pass(const search_instance& of, std::size_t ipu, const op& o, dynamic_array<std::size_t>& done, dynamic_array<std::size_t>& lanes) {
  if (o.kind == pass::update) return true;
  std::size_t l = lane_of(of, ipu, o.kind, o.stage);
  std::size_t weights = nowhere;
  if (l == nowhere && o.kind == pass::backward) {
    l = lane_of(of, ipu, pass::backward_inputs, o.stage);
    weights = lane_of(of, ipu, pass::backward_weights, o.stage);
    if (weights == nowhere) return false;
  }
  for (const std::size_t each : {l, weights}) {
    if (each == nowhere) continue;
    if (done[each]++ != o.micro_batch) return false;
    lanes.push_back(each);
  }
  return l != nowhere;
}

/// The orders of a timetable; empty ones if its stages or passes are others, its micro-batches change their order, or it holds too much.
constexpr search_orders orders_of(const table& known, const search_instance& of) {
  search_orders made;
  const bool has_rows = known.where.ipus == of.ipus && known.rows.size() == of.ipus;
  if (known.refused || !has_rows || known.where.micro_batches != of.micro_batches) return {};
  made.first = dynamic_array<std::size_t>(of.ipus + 1);
  dynamic_array<std::size_t> done(of.lanes.size());
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    made.first[ipu] = made.lanes.size();
    for (const placed& o : known.rows[ipu]) {
      if (!add_pass(of, ipu, o, done, made.lanes)) return {};
    }
  }
  made.first[of.ipus] = made.lanes.size();
  for (const std::size_t d : done) {
    if (d != of.micro_batches) return {};
  }
  return within_limits(of, made) ? made : search_orders{};
}

/// Orders for fewer micro-batches as keys for more: `body` of them, those before `cut`, are repeated.
class repeated_middle {
 public:
  constexpr repeated_middle(const search_instance& few, const search_orders& orders) : few_{&few}, times_{few} { times_.run(orders); }

  constexpr void write(greedy_orders& greedy, const search_instance& of, std::size_t cut, std::size_t body) const {
    const std::size_t extra = of.micro_batches - few_->micro_batches;
    const amount period = period_of(of);
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      const auto start = [&](std::size_t m) { return times_.end[l * few_->micro_batches + m] - of.lanes[l].time; };
      for (std::size_t m = 0; m < of.micro_batches; ++m) {
        const std::size_t turns = m < cut ? 0 : m >= cut + extra ? extra : ((m - cut) / body + 1) * body;  // micro-batches between the two
        greedy.key[l * of.micro_batches + m] = start(m - turns) + period * static_cast<amount>(turns);
      }
    }
  }

 private:
  const search_instance* few_;
  search_times times_;
};

}  // namespace ipuflow::schedule::impl
