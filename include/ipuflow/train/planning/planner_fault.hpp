// SPDX-License-Identifier: BSL-1.0
// Faults of a configuration that a planner is asked for, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>

namespace ipuflow::train {

enum class planner_wrong : unsigned char { nothing, no_network, stages, cuts, no_schedule };

/// `got` and `limit` are numbers of stages.
using planner_fault = fault<planner_wrong, fixed_string<40>>;

template <class = void>
constexpr const char* wording(planner_wrong wrong) {
  switch (wrong) {
    case planner_wrong::nothing:
      break;
    case planner_wrong::no_network:
      return "ipuflow: the planner was given no network of precision {where}; give train::planned(network, precision, optimiser) of it";
    case planner_wrong::stages:
      return "ipuflow: the schedule '{where}' has {limit} stage{s} and the network is cut into {got}; give {cuts} cut{s}";
    case planner_wrong::cuts:
      return "ipuflow: a stage of the plan begins with block {got} of {limit}; cuts rise from block to block";
    case planner_wrong::no_schedule:
      return "ipuflow: no schedule has {got} stage{s} on {limit} chip{s} for this number of micro-batches; cut the network into as many stages as chips";
  }
  return "";
}

constexpr message_text sentence(const planner_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}, {"cuts", f.limit > 0 ? f.limit - 1 : 0}});
}

}  // namespace ipuflow::train
