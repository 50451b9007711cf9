// SPDX-License-Identifier: BSL-1.0
// Faults of a configuration that a planner is asked for, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>

namespace ipuflow::train {

enum class planner_wrong : unsigned char { nothing, no_network, stages, cuts, no_schedule };

/// `got` and `limit` are numbers of stages.
using planner_fault = fault<planner_wrong, fixed_string<40>>;

template <class = void>
constexpr message_text sentence(const planner_fault& f) {
  switch (f.kind) {
    case planner_wrong::nothing:
      break;
    case planner_wrong::no_network:
      return words("ipuflow: the planner was given no network of precision ", f.where.view(), "; give train::planned(network, precision, optimiser) of it");
    case planner_wrong::stages:
      return words("ipuflow: the schedule '", f.where.view(), "' has ", f.limit, " stages and the network is cut into ", f.got, "; give ",
                   f.limit > 0 ? f.limit - 1 : 0, " cuts");
    case planner_wrong::cuts:
      return words("ipuflow: a stage of the plan begins with block ", f.got, " of ", f.limit, "; cuts rise from block to block");
    case planner_wrong::no_schedule:
      return words("ipuflow: no schedule has ", f.got, " stages on ", f.limit, " chips for this number of micro-batches; cut the network into as many stages as chips");
  }
  return {};
}

}  // namespace ipuflow::train
