// SPDX-License-Identifier: BSL-1.0
// The contract of the ends of runs and sessions: what they may be made from, and what a session takes for them, so that
// something else is refused with a sentence where it is handed over.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

namespace ipuflow::run {

enum class feeds_wrong : unsigned char { nothing, data, item, steps, sink };

/// `where` is the name of the type that was handed over.
using feeds_fault = fault<feeds_wrong, type_text>;

constexpr const char* wording(feeds_wrong wrong) {
  switch (wrong) {
    case feeds_wrong::nothing:
      break;
    case feeds_wrong::data:
      return "ipuflow: an infeed cannot read {where}; give a range or a dataset, or for a run nothing, and enqueue its items";
    case feeds_wrong::item:
      return "ipuflow: an infeed is given items of {where}, which the pipeline does not take; give its input, or a std::tuple of all inputs and "
             "values per sample";
    case feeds_wrong::steps:
      return "ipuflow: {where} gives a session no steps; give an infeed, a loader, or a function that returns a std::optional of a step";
    case feeds_wrong::sink:
      return "ipuflow: {where} cannot take the results of a micro-batch; give an outfeed, or a function of std::vector<float> for each tensor that "
             "leaves the pipeline and float for each loss";
  }
  return "";
}

constexpr message_text sentence(const feeds_fault& f) {
  return filled(wording(f.kind), {{"where", f.where}});
}

}  // namespace ipuflow::run
