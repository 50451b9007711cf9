// SPDX-License-Identifier: BSL-1.0
// Faults of what a search is asked for, and the sentence for each: sizes, records of memory, limits that no schedule keeps.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule {

enum class search_wrong : unsigned char { nothing, empty, two_ipus, cost_records, memory_records, limits, kept_for_ever, no_room, too_large };

/// `where` is the stage, or the IPU, that it is about.
using search_fault = fault<search_wrong, std::size_t>;

constexpr const char* wording(search_wrong wrong) {
  switch (wrong) {
    case search_wrong::nothing:
      return "";
    case search_wrong::empty:
      return "ipuflow: a search has {got} operation{s} for each micro-batch and {limit} micro-batch{es}; give at least one stage on an IPU and one "
             "micro-batch";
    case search_wrong::two_ipus:
      return "ipuflow: stage {where} is on {got} IPU{s} or on another for some micro-batches; a search wants each on one";
    case search_wrong::cost_records:
      return "ipuflow: costs are given for {got} stage{s}, but the search has {limit}; give one record for each stage";
    case search_wrong::memory_records:
      return "ipuflow: memory is given for {got} stage{s}, but the search has {limit}; give one record for all, or one for each stage";
    case search_wrong::limits:
      return "ipuflow: limits of memory are given for {got} IPU{s}, but the search has {limit}; give one for all, or one for each IPU";
    case search_wrong::kept_for_ever:
      return "ipuflow: stage {where} adds {got} byte{s} and frees {limit} for a micro-batch; what its passes add must come to zero";
    case search_wrong::no_room:
      return "ipuflow: IPU {where} holds {got} byte{s} for one micro-batch alone, more than its limit of {limit}; give it more, or smaller "
             "micro-batches";
    case search_wrong::too_large:
      return "ipuflow: the times or bytes of this search come to more than {limit}; count them in a larger unit";
  }
  return "";
}

constexpr message_text sentence(const search_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

}  // namespace ipuflow::schedule
