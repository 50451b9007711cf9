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

constexpr message_text sentence(const search_fault& f) {
  switch (f.kind) {
    case search_wrong::nothing:
      return {};
    case search_wrong::empty:
      return words("ipuflow: a search has ", f.got, " operations for each micro-batch and ", f.limit,
                   " micro-batches; give at least one stage on an IPU and one micro-batch");
    case search_wrong::two_ipus:
      return words("ipuflow: stage ", f.where, " is on ", f.got, " IPUs or on another for some micro-batches; a search wants each on one");
    case search_wrong::cost_records:
      return words("ipuflow: costs are given for ", f.got, " stages, but the search has ", f.limit, "; give one record for each stage");
    case search_wrong::memory_records:
      return words("ipuflow: memory is given for ", f.got, " stages, but the search has ", f.limit,
                   "; give one record for all, or one for each stage");
    case search_wrong::limits:
      return words("ipuflow: limits of memory are given for ", f.got, " IPUs, but the search has ", f.limit,
                   "; give one for all, or one for each IPU");
    case search_wrong::kept_for_ever:
      return words("ipuflow: stage ", f.where, " adds ", f.got, " bytes and frees ", f.limit,
                   " for a micro-batch; what its passes add must come to zero");
    case search_wrong::no_room:
      return words("ipuflow: IPU ", f.where, " holds ", f.got, " bytes for one micro-batch alone, more than its limit of ", f.limit,
                   "; give it more, or smaller micro-batches");
    case search_wrong::too_large:
      return words("ipuflow: the times or bytes of this search come to more than ", f.limit, "; count them in a larger unit");
  }
  return {};
}

}  // namespace ipuflow::schedule
