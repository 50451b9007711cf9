// SPDX-License-Identifier: BSL-1.0
// A loss that is not a number: in which step, and the first value of the forward pass that is none. A session on threads
// looks at each loss as it trains; only when one is wrong it runs that iteration again and looks at everything. Where a pipeline
// is divided among processes it does not, and which micro-batch it was is all that is known.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::train {

enum class loss_wrong : unsigned char { nothing, of_samples, of_weights, of_layer, of_micro_batch };

/// `block` is its position in the pipeline, of which `name` is the name; micro-batches count from 0, steps from 1.
struct loss_place {
  fixed_string<60> name{};
  std::size_t block = 0;
  std::size_t layer = 0;
  std::size_t stage = 0;
  std::size_t micro_batch = 0;
  std::size_t replica = 0;
  std::size_t step = 0;

  friend constexpr bool operator==(const loss_place&, const loss_place&) = default;
};

using loss_fault = fault<loss_wrong, loss_place>;

constexpr const char* wording(loss_wrong wrong) {
  switch (wrong) {
    case loss_wrong::nothing:
      break;
    case loss_wrong::of_samples:
      return "ipuflow: the loss of step {step} is not a number, and neither are all numbers of its samples, in micro-batch {micro_batch} of replica "
             "{replica}; clean the data; the model is as it was before the step";
    case loss_wrong::of_weights:
      return "ipuflow: the loss of step {step} is not a number since the weights of block '{name}', layer {layer}, are none since an update; lower "
             "the rate, or set max_grad_norm; the model is as it was before the step";
    case loss_wrong::of_layer:
      return "ipuflow: the loss of step {step} is not a number: block '{name}', layer {layer} (stage {stage}), is given numbers and makes one that "
             "is none, in micro-batch {micro_batch} of replica {replica}; its inputs may be too large: lower the rate, scale the data, or set "
             "max_grad_norm; the model is as it was before the step";
    case loss_wrong::of_micro_batch:
      return "ipuflow: the loss of step {step} is not a number, in micro-batch {micro_batch} of replica {replica}; clean the data, lower the rate, or "
             "set max_grad_norm; one process that has the whole pipeline says where it arose; the model is as it was before the step";
  }
  return "";
}

constexpr message_text sentence(const loss_fault& f) {
  const loss_place& at = f.where;
  return filled(wording(f.kind), {{"step", at.step}, {"micro_batch", at.micro_batch}, {"replica", at.replica}, {"name", at.name},
                 {"layer", at.layer}, {"stage", at.stage}});
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::loss_fault>;
}
#endif
