// SPDX-License-Identifier: BSL-1.0
// The values that stages hand on, and the messages of a step that they make: those from one chip to another are one message, since they
// go over the same links.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan::impl {

/// The stages for one half of the micro-batches, and what they hand on: to other chips in the other half if the schedule is crossed.
struct counted_flow {
  light_vector<const counted_stage*> stages{};
  light_vector<std::uint64_t> message{}, message_back{};
};

/// The times of the passes as they were counted; messages take the longer of both ways.
struct counted_costs {
  const counted_flow& stages;

  [[nodiscard]] std::size_t of(schedule::pass kind, std::size_t stage) const {
    return kind <= schedule::pass::recompute ? stages.stages[stage]->passes[static_cast<std::size_t>(kind)].value : 0;
  }
  [[nodiscard]] std::size_t communication_of(std::size_t stage) const {
    const std::uint64_t on = stage < stages.message.size() ? stages.message[stage] : 0, back = stage > 0 ? stages.message_back[stage - 1] : 0;
    return algorithms::max(on, back);
  }
};

/// From one chip to another, at the end of a step.
struct chip_message {
  std::size_t from = 0, to = 0;
  bytes size{};
  std::uint64_t time = 0;
};

/// All of them in a step.
template <class = void>
class basic_step_messages {
 public:
  /// `may_meet`: chips have several stages, without which no two messages go the same way.
  explicit basic_step_messages(bool may_meet) : may_meet_{may_meet} {}

  void clear() { all_.clear(), longest_ = 0; }
  /// `time_of(size)`: of a message.
  template <class TimeOf>
  void add(const chip_message& m, const TimeOf& time_of) {
    longest_ = algorithms::max(longest_, m.time);
    if (!may_meet_) return;
    const auto same = algorithms::find_if(all_.begin(), all_.end(), [&](const chip_message& known) { return known.from == m.from && known.to == m.to; });
    if (same == all_.end()) return all_.push_back(m);
    same->size += m.size, same->time = time_of(same->size);
    longest_ = algorithms::max(longest_, same->time);
  }
  [[nodiscard]] std::uint64_t longest() const { return longest_; }

 private:
  bool may_meet_;
  light_vector<chip_message> all_{};
  std::uint64_t longest_ = 0;
};
using step_messages = basic_step_messages<>;

}  // namespace ipuflow::plan::impl
