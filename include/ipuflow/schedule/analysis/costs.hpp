// SPDX-License-Identifier: BSL-1.0
// Costs of operations, the same for all stages or a record for each, in a unit of time in which the whole run takes less than
// 2 to the 64: sums that do not fit wrap around.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <concepts>
#include <cstddef>

namespace ipuflow::schedule {

/// Times of the passes of a stage, in any unit, the same for all stages.
struct costs {
  std::size_t forward = 1;           ///< of a forward pass
  std::size_t backward_inputs = 1;   ///< of the gradient for what entered; a whole backward takes this and the next
  std::size_t backward_weights = 1;  ///< of the gradient for weights
  std::size_t communication = 0;     ///< from the end of an operation to when another IPU can use its result
  std::size_t update = 0;            ///< of the weights of a stage, after its last backward
  std::size_t recompute = 0;         ///< 0: part of the backward that was measured

  friend constexpr bool operator==(const costs&, const costs&) = default;

  constexpr std::size_t of(pass kind, std::size_t) const {
    switch (kind) {
      case pass::forward:
        return forward;
      case pass::backward:
        return backward_inputs + backward_weights;
      case pass::backward_inputs:
        return backward_inputs;
      case pass::backward_weights:
        return backward_weights;
      case pass::recompute:
        return recompute;
      case pass::update:
        return update;
      default:
        return 0;
    }
  }
};

/// A record for each stage; communication is that of the stage that sends.
template <std::size_t Stages>
struct costs_of_stages {
  bounded_vector<costs, Stages> stage{};  ///< one for each stage, in order

  constexpr std::size_t of(pass kind, std::size_t s) const { return record(s).of(kind, s); }
  constexpr std::size_t communication_of(std::size_t s) const { return record(s).communication; }

 private:
  constexpr const costs& record(std::size_t s) const {
    if (s >= stage.size()) throw_if(schedule_fault{schedule_wrong::no_costs, stage.size(), s + 1, {.stage = s}});
    return stage[s];
  }
};

namespace impl {

/// Every operation takes one step and messages none: the time of the step grid.
struct one_step_each {
  static constexpr bool in_steps = true;  ///< also two operations that run together
  static constexpr std::size_t communication = 0;
  constexpr std::size_t of(pass kind, std::size_t) const { return kind == pass::update ? 0 : 1; }
};

}  // namespace impl

/// Costs that timing can ask for.
template <class C>
concept pricing = requires(const C& c) {
  { c.of(pass::forward, std::size_t{}) } -> std::convertible_to<std::size_t>;
};

namespace impl {

/// The time of a message from a stage to another IPU.
template <pricing Costs>
[[nodiscard]] constexpr std::size_t message_time(const Costs& c, std::size_t stage) {
  if constexpr (requires { c.communication; }) {
    return c.communication;
  } else if constexpr (requires { c.communication_of(stage); }) {
    return c.communication_of(stage);
  } else {
    return c.stage[stage].communication;
  }
}

}  // namespace impl

}  // namespace ipuflow::schedule
