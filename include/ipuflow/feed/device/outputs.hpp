// SPDX-License-Identifier: BSL-1.0
// Selects the results of a step that come back to the host. A step of `batch_sizes` is `device_iterations` times
// `accumulation` micro-batches, each run by every replica. Results are ordered by iteration, then accumulation, then
// replica.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/feed/batching.hpp>

#include <cstddef>
#include <optional>

namespace ipuflow::feed {

/// The results of a step that come back to the host.
enum class output_mode : unsigned char {
  automatic,  // `final` when training, `all` otherwise
  all,
  final,   // the last micro-batch of a step
  sum,     // of all micro-batches of a step, one for each replica
  every_n  // the last one of every `period` micro-batches
};

/// An output mode with its period.
struct outputs {
  output_mode mode = output_mode::automatic;  ///< which of the results
  std::size_t period = 0;                     ///< of every_n only
};

enum class outputs_wrong : unsigned char { nothing, no_count, no_period, idle_period, period_too_long, period_does_not_divide };
using outputs_fault = fault<outputs_wrong>;

constexpr const char* wording(outputs_wrong wrong) {
  switch (wrong) {
    case outputs_wrong::nothing:
      break;
    case outputs_wrong::no_count:
      return "ipuflow: a step of no iterations, accumulation or replicas has no outputs; count each of them from {limit}";
    case outputs_wrong::no_period:
      return "ipuflow: outputs of every_n need a period; say every how many micro-batches, from {limit}";
    case outputs_wrong::idle_period:
      return "ipuflow: outputs have a period of {got} but their mode has none; ask for every_n, or leave the period out";
    case outputs_wrong::period_too_long:
      return "ipuflow: outputs come every {got} micro-batch{es}, but a step has {limit} device iteration{s}; choose a period of at most that";
    case outputs_wrong::period_does_not_divide:
      return "ipuflow: outputs come every {got} micro-batch{es}, which does not divide the {limit} device iteration{s} of a step; choose a period that "
             "does";
  }
  return "";
}

constexpr message_text sentence(const outputs_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

/// The first fault of asking for these outputs of such steps.
[[nodiscard]] constexpr outputs_fault verify(const outputs& o, const batch_sizes& step) {
  if (step.device_iterations == 0 || step.accumulation == 0 || step.replicas == 0) return {outputs_wrong::no_count, 0, 1};
  if (o.mode != output_mode::every_n && o.period != 0) return {outputs_wrong::idle_period, o.period, 0};
  if (o.mode != output_mode::every_n) return {};
  if (o.period == 0) return {outputs_wrong::no_period, 0, 1};
  if (o.period > step.device_iterations) return {outputs_wrong::period_too_long, o.period, step.device_iterations};
  if (step.device_iterations % o.period != 0) {
    return {outputs_wrong::period_does_not_divide, o.period, step.device_iterations};
  }
  return {};
}

/// `automatic` replaced by what it means.
[[nodiscard]] constexpr output_mode mode_of(const outputs& o, mode run_for) {
  if (o.mode != output_mode::automatic) return o.mode;
  return run_for == mode::training ? output_mode::final : output_mode::all;
}

/// True if something comes back after micro-batch `index` of a step.
[[nodiscard]] constexpr bool returned_after(const outputs& o, const batch_sizes& step, std::size_t index) {
  switch (mode_of(o, step.run_for)) {
    case output_mode::all:
      return true;
    case output_mode::every_n:
      return (index + 1) % o.period == 0;
    default:
      return index + 1 == micro_batches_per_step(step);
  }
}

/// The row of results that micro-batch `index` of a replica, counted through the step, gives or is added to; none if it
/// does not come back.
[[nodiscard]] constexpr std::optional<std::size_t> row_of(const outputs& o, const batch_sizes& step, std::size_t index,
                                                          std::size_t replica) {
  const output_mode how = mode_of(o, step.run_for);
  if (how == output_mode::sum) return replica;
  if (!returned_after(o, step, index)) return {};
  const std::size_t before = how == output_mode::all ? index : how == output_mode::every_n ? index / o.period : 0;
  return before * step.replicas + replica;
}

/// Of how many micro-batches of a replica one comes back, the last of them; 0 for sums, which belong to none.
[[nodiscard]] constexpr std::size_t returned_every(const outputs& o, const batch_sizes& step) {
  switch (mode_of(o, step.run_for)) {
    case output_mode::all:
      return 1;
    case output_mode::every_n:
      return o.period;
    case output_mode::sum:
      return 0;
    default:
      return micro_batches_per_step(step);
  }
}

/// Results that come back from one step.
[[nodiscard]] constexpr std::size_t results_per_step(const outputs& o, const batch_sizes& step) {
  switch (mode_of(o, step.run_for)) {
    case output_mode::all:
      return step.replicas * micro_batches_per_step(step);
    case output_mode::every_n:
      return step.replicas * micro_batches_per_step(step) / o.period;
    default:
      return step.replicas;
  }
}

}  // namespace ipuflow::feed
