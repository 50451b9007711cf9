// SPDX-License-Identifier: BSL-1.0
// Faults in the use of an outfeed, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

enum class outfeed_wrong : unsigned char {
  nothing,
  no_depth,
  too_many_replicas,
  no_such_replica,
  twice,
  missed,
  closed,
  never_enqueued,
  two_readers,
  no_sum
};
using outfeed_fault = fault<outfeed_wrong, std::size_t>;

constexpr const char* wording(outfeed_wrong wrong) {
  switch (wrong) {
    case outfeed_wrong::nothing:
      break;
    case outfeed_wrong::no_depth:
      return "ipuflow: an outfeed is to buffer {got} result{s}; choose a depth from {limit} up";
    case outfeed_wrong::too_many_replicas:
      return "ipuflow: an outfeed is to have results of {got} replica{s}; give at most {limit}";
    case outfeed_wrong::no_such_replica:
      return "ipuflow: replica {got} enqueues into an outfeed of {limit}; they count from 0 to one less";
    case outfeed_wrong::twice:
      return "ipuflow: replica {got} enqueues twice in micro-batch {where} of an outfeed; enqueue once, several values as one tuple";
    case outfeed_wrong::missed:
      return "ipuflow: {got} of {limit} replica{s} enqueued in micro-batch {where} of an outfeed; let each enqueue once in every one";
    case outfeed_wrong::closed:
      return "ipuflow: a result is enqueued after its outfeed was closed; close it after the last run";
    case outfeed_wrong::never_enqueued:
      return "ipuflow: nothing was ever enqueued into the outfeed being read; run first, or follow it from another thread";
    case outfeed_wrong::two_readers:
      return "ipuflow: an outfeed is followed by two readers; let one pass the results on";
    case outfeed_wrong::no_sum:
      return "ipuflow: results of this type cannot be summed up; give them +=, or choose another output mode";
  }
  return "";
}

/// `where` is the micro-batch.
constexpr message_text sentence(const outfeed_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

}  // namespace ipuflow::feed
