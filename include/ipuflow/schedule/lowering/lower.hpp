// SPDX-License-Identifier: BSL-1.0
// From an order of operations to the program that each IPU runs one line at a time: weights gathered before their first
// use and released after the last of a stretch, gradients reduced behind the last backward of a stage, each result sent
// as soon as it is made, each receive posted when its sender runs. Line for line what PyTorch's pipelining passes
// produce, so that the programs can be exchanged.
#pragma once

#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/analysis/passes_done.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/lowering/action.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Options of lowering a timetable.
struct lower_options {
  std::size_t gathered = 3;      ///< stages whose weights an IPU has at once; 0: weights stay where they are
  bool reduce_gradients = true;  ///< add a reduction after the last backward of each stage

  friend constexpr bool operator==(const lower_options&, const lower_options&) = default;
};

namespace impl {

/// True if a stage is among these.
[[nodiscard]] constexpr bool contains(const dynamic_array<std::size_t>& stages, std::size_t stage) {
  for (const std::size_t s : stages) {
    if (s == stage) return true;
  }
  return false;
}

/// The stages that a row still uses, the one with the nearest use first. Kept from action to action, since to look for
/// them anew at each of a row's actions would take the square of its length.
class stages_ahead {
 public:
  constexpr explicit stages_ahead(const dynamic_array<action>& row) : row_{row}, again_{row.size(), nowhere} {
    for (const action& a : row) {
      while (next_.size() <= a.stage) next_.push_back(nowhere);
    }
    for (std::size_t i = row.size(); i-- > 0;) {
      again_[i] = next_[row[i].stage];
      next_[row[i].stage] = i;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (next_[row[i].stage] == i) order_.push_back(row[i].stage);
    }
  }

  /// The next few; of two that run together, always both.
  [[nodiscard]] constexpr dynamic_array<std::size_t> first(std::size_t most) const {
    dynamic_array<std::size_t> stages;
    for (const std::size_t stage : order_) {
      const std::size_t use = next_[stage];
      const bool joined = use > passed_ && row_[use - 1].with_next;
      const bool follows = joined && !stages.empty() && next_[stages[stages.size() - 1]] + 1 == use;
      if (stages.size() >= most && !follows) break;
      stages.push_back(stage);
    }
    return stages;
  }

  /// Passes one action, the use of the stage in front, which goes to where its next use is.
  constexpr void pass() {
    const std::size_t stage = order_[0];
    next_[stage] = again_[passed_++];
    std::size_t place = 0;
    for (; place + 1 < order_.size() && next_[order_[place + 1]] < next_[stage]; ++place) {
      order_[place] = order_[place + 1];
    }
    order_[place] = stage;
    if (next_[stage] == nowhere) order_.pop_back();
  }

 private:
  const dynamic_array<action>& row_;
  dynamic_array<std::size_t> next_{};  // use of each stage
  dynamic_array<std::size_t> again_;   // of each action: the next one of its stage
  dynamic_array<std::size_t> order_{};
  std::size_t passed_ = 0;
};

/// Gathers and releases around the uses of a row.
[[nodiscard]] constexpr dynamic_array<action> with_weights(const dynamic_array<action>& row, std::size_t most) {
  dynamic_array<action> lowered;
  dynamic_array<std::size_t> active;
  stages_ahead ahead{row};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool joined = i > 0 && row[i - 1].with_next;  // nothing comes between two that run together
    dynamic_array<std::size_t> next = active;  // no `?:`, whose temporary g++ 12 destroys twice in a constant expression
    if (!joined) next = ahead.first(most);
    ahead.pass();
    dynamic_array<std::size_t> kept;
    for (const std::size_t stage : active) {
      if (contains(next, stage)) {
        kept.push_back(stage);
      } else {
        lowered.push_back({act::release_weights, stage});
      }
    }
    for (const std::size_t stage : next) {
      if (contains(active, stage)) continue;
      lowered.push_back({act::gather_weights, stage});
      kept.push_back(stage);
    }
    active = static_cast<dynamic_array<std::size_t>&&>(kept);
    lowered.push_back(row[i]);
  }
  for (std::size_t i = 0; i < active.size(); ++i) {  // the rest, the lowest stage first
    std::size_t lowest = i;
    for (std::size_t k = i; k < active.size(); ++k) lowest = active[k] < active[lowest] ? k : lowest;
    const std::size_t stage = active[lowest];
    active[lowest] = active[i];
    lowered.push_back({act::release_weights, stage});
  }
  return lowered;
}

/// True if the action is a stage's part in its gradients for weights.
[[nodiscard]] constexpr bool adds_gradients(act kind) { return kind == act::backward || kind == act::backward_weights; }

/// A reduction behind the last backward that a row has of each stage, or behind the two that it runs together with.
[[nodiscard]] constexpr dynamic_array<action> with_reductions(const dynamic_array<action>& row, std::size_t stages) {
  dynamic_array<action> lowered;
  dynamic_array<std::size_t> left{stages}, due;
  for (const action& a : row) left[a.stage] += adds_gradients(a.kind) ? std::size_t{1} : 0;
  for (const action& a : row) {
    lowered.push_back(a);
    if (adds_gradients(a.kind) && --left[a.stage] == 0) due.push_back(a.stage);
    if (a.with_next) continue;
    for (const std::size_t stage : due) lowered.push_back({act::reduce_gradients, stage});
    due = {};
  }
  return lowered;
}

/// The operations of a timetable as actions. Those that the exchange format has no word for are left out.
template <timetable T>
[[nodiscard]] constexpr action_rows actions_of(const T& t) {
  action_rows rows{t.where.ipus};
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      if (has_word(w->kind)) rows[ipu].push_back({act_of(w->kind), w->stage, w->micro_batch, w->with_next, w->step});
    }
  }
  return rows;
}

/// Adds sends and receives, running the rows in turn so that receives are posted in the order of their sends.
template <whereabouts Where>
class sends_and_receives {
 public:
  constexpr sends_and_receives(const Where& where, const action_rows& rows)
      : where_{where}, rows_{rows}, lowered_{rows.size()}, at_{rows.size()}, progress_{where} {}

  /// As far as the order can be run.
  constexpr action_rows run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t ipu = 0; ipu < rows_.size(); ++ipu) {
        if (at_[ipu] == rows_[ipu].size() || !ready(ipu, at_[ipu])) continue;
        const std::size_t first = at_[ipu]++;
        if (rows_[ipu][first].with_next && at_[ipu] < rows_[ipu].size()) ++at_[ipu];
        for (std::size_t i = first; i < at_[ipu]; ++i) lowered_[ipu].push_back(rows_[ipu][i]);
        for (std::size_t i = first; i < at_[ipu]; ++i) finish(ipu, rows_[ipu][i]);
        moved = true;
      }
    }
    return static_cast<action_rows&&>(lowered_);
  }

 private:
  constexpr bool ready(std::size_t ipu, std::size_t i) const {
    const action& a = rows_[ipu][i];
    const bool with_next = a.with_next && i + 1 < rows_[ipu].size();
    if (is_compute(a.kind) && progress_.waits_for({pass_of(a.kind), a.stage, a.micro_batch}) != nowhere) return false;
    return !with_next || ready(ipu, i + 1);
  }

  constexpr void finish(std::size_t ipu, const action& a) {
    if (!is_compute(a.kind)) return;
    const op o{pass_of(a.kind), a.stage, a.micro_batch};
    const std::size_t seat = where_.seat_of(ipu, a.stage, a.micro_batch);
    if (seat != nowhere) progress_.mark(o, seat);
    const bool onwards = o.kind == pass::forward;
    const std::size_t next = sent_to(where_, o);
    for_each_ipu_but(ipu, where_, next, a.micro_batch, [&](std::size_t receiver) {
      lowered_[ipu].push_back({onwards ? act::send_forward : act::send_backward, a.stage, a.micro_batch});
      lowered_[receiver].push_back({onwards ? act::receive_forward : act::receive_backward, next, a.micro_batch});
    });
  }

  const Where& where_;
  const action_rows& rows_;
  action_rows lowered_;
  dynamic_array<std::size_t> at_;
  passes_done<Where> progress_;
};

}  // namespace impl

/// The program of each IPU. The timetable must have passed `verify`.
template <timetable T>
[[nodiscard]] constexpr action_rows lower(const T& t, lower_options options = {}) {
  action_rows rows = impl::actions_of(t);
  for (dynamic_array<action>& row : rows) {
    if (options.gathered > 0) row = impl::with_weights(row, options.gathered);
    if (options.reduce_gradients) row = impl::with_reductions(row, t.where.stages);
  }
  return impl::sends_and_receives{t.where, rows}.run();
}

namespace impl {

/// A whole backward in place of a backward for inputs directly followed by that for weights.
[[nodiscard]] constexpr dynamic_array<action> with_whole_backwards(const dynamic_array<action>& row) {
  dynamic_array<action> merged;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool split = i + 1 < row.size() && row[i].kind == act::backward_inputs &&
                       row[i + 1].kind == act::backward_weights && row[i].stage == row[i + 1].stage &&
                       row[i].micro_batch == row[i + 1].micro_batch;
    merged.push_back(row[i]);
    if (!split) continue;
    merged.back().kind = act::backward;
    ++i;
  }
  return merged;
}

}  // namespace impl

}  // namespace ipuflow::schedule
