// SPDX-License-Identifier: BSL-1.0
// The events of a stage on a chip, step by step: its passes, what arrives there, and the transfers of its tensors between
// streaming memory and tiles. A pass has its transfers around it, in its own step, or beside the passes before and behind.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

/// The kinds of events of the values of a part: its passes, arrivals from the stages before and behind it, and transfers
/// for a pass of another step.
enum class part_work : unsigned char {
  forward,
  backward,
  backward_inputs,
  backward_weights,
  recompute,
  arrival,
  return_,
  load,
  store
};
constexpr part_work work_of(schedule::pass pass) { return static_cast<part_work>(pass); }
static_assert(work_of(schedule::pass::forward) == part_work::forward && work_of(schedule::pass::backward) == part_work::backward &&
              work_of(schedule::pass::backward_inputs) == part_work::backward_inputs &&
              work_of(schedule::pass::backward_weights) == part_work::backward_weights &&
              work_of(schedule::pass::recompute) == part_work::recompute);

[[nodiscard]] constexpr bool is_pass(part_work what) { return what <= part_work::recompute; }
[[nodiscard]] constexpr bool is_transfer(part_work what) { return what >= part_work::load; }

/// A pass of a part, an arrival there or a transfer, at a step.
struct part_event {
  part_work what = part_work::forward;
  std::uint32_t micro_batch = 0;
  std::uint32_t step = 0;
  part_work of = part_work::forward;  ///< the pass of a transfer
  bool loads = true;                  ///< a pass: what it needs is loaded in its own step
  bool stores = true;                 ///< and what it leaves is stored there

  friend constexpr bool operator==(const part_event&, const part_event&) = default;
};

/// Puts transfers beside other passes: what a pass needs is loaded a step before it, what it leaves is stored a step behind
/// it. They stay in the step of the pass where the other step has a pass of the same part, or is of another micro-batch: no
/// memory is held from one turn of the loop over micro-batches to the next.
template <class = void>
inline void transfer_beside(light_vector<part_event>& events, const light_vector<std::uint32_t>& micro_batch_of_step) {
  const auto free_at = [&](std::size_t step, std::uint32_t micro_batch) {
    if (step >= micro_batch_of_step.size() || micro_batch_of_step[step] != micro_batch) return false;
    auto at = algorithms::lower_bound(events.begin(), events.end(), step, [](const part_event& e, std::size_t s) { return e.step < s; });
    while (at != events.end() && at->step == step && !is_pass(at->what)) ++at;
    return at == events.end() || at->step != step;
  };
  light_vector<part_event> made;  // in the order of steps: what comes late goes near the end
  const auto insert = [&](const part_event& e) {
    made.insert(algorithms::upper_bound(made.begin(), made.end(), e, [](const part_event& a, const part_event& b) { return a.step < b.step; }), e);
  };
  for (part_event e : events) {
    if (is_pass(e.what)) {
      e.loads = e.step == 0 || !free_at(e.step - 1, e.micro_batch);
      e.stores = !free_at(e.step + 1, e.micro_batch);
      if (!e.loads) insert({part_work::load, e.micro_batch, e.step - 1, e.what});
      if (!e.stores) insert({part_work::store, e.micro_batch, e.step + 1, e.what});
    }
    insert(e);
  }
  events = std::move(made);
}

}  // namespace ipuflow::run::impl
