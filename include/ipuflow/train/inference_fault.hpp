// SPDX-License-Identifier: BSL-1.0
// A timetable of training is not for using a model: its forward passes drop and count as training does, and so would change the
// model that other sessions share. One of inference is not for training: it would change nothing.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/mode.hpp>

namespace ipuflow::train {

enum class inference_wrong : unsigned char { nothing, trains, trains_nothing };
using inference_fault = fault<inference_wrong>;

constexpr const char* wording(inference_wrong wrong) {
  switch (wrong) {
    case inference_wrong::nothing:
      break;
    case inference_wrong::trains:
      return "ipuflow: train::inference is given a timetable of training, which would change the model; make it of inference(network), as "
             "schedule::grouped(inference(network), micro_batches<8>)";
    case inference_wrong::trains_nothing:
      return "ipuflow: a session that trains is given a timetable of inference, which would change nothing; make it of training, as "
             "schedule::grouped(network, micro_batches<8>), or use the model, with train::inference";
  }
  return "";
}

constexpr message_text sentence(const inference_fault& f) {
  return message_text{wording(f.kind)};
}

namespace impl {

constexpr inference_fault verify_inference(mode run_for) {
  return {run_for == mode::training ? inference_wrong::trains : inference_wrong::nothing};
}
constexpr inference_fault verify_training(mode run_for, bool has_optimiser) {
  return {run_for == mode::inference && has_optimiser ? inference_wrong::trains_nothing : inference_wrong::nothing};
}

}  // namespace impl

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::inference_fault>;
}
#endif
