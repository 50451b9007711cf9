// SPDX-License-Identifier: BSL-1.0
// What a session can be asked for beside its pipeline, schedule and optimiser.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/feed/outputs.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/train/accumulation.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/step_data.hpp>

#include <cstddef>
#include <cstdint>
#include <stop_token>

namespace ipuflow::train {

struct options {
  std::size_t micro_batch = 1;        ///< samples that go through the pipeline together
  std::size_t device_iterations = 1;  ///< runs of the timetable in a step, each with its own update
  std::size_t replicas = 1;           ///< copies of the pipeline, each with samples of its own
  reduction gradients = reduction::mean;
  feed::output_mode outputs = feed::output_mode::automatic;
  std::size_t output_period = 0;      ///< of every_n
  scaling inputs{};                   ///< of inputs that come as integers
  loss_scale scale{};
  std::uint64_t seed = 42;
  std::size_t threads = 0;            ///< 0: one a core
  std::stop_token stop{};
  run::trace* events = nullptr;
};

enum class session_wrong : unsigned char { nothing, samples, micro_batches_for_directions, stopped };

constexpr message_text sentence(const fault<session_wrong>& f) {
  switch (f.kind) {
    case session_wrong::samples:
      return words("ipuflow: a step is given ", f.got, " samples but takes ", f.limit,
                   "; batch them by samples_per_step() and drop or pad a last short batch");
    case session_wrong::micro_batches_for_directions:
      return words("ipuflow: a schedule in two directions needs an even number of micro-batches, not ", f.got,
                   "; use one more or one less");
    default:
      return words("ipuflow: the step was stopped after ", f.got, " of ", f.limit,
                   " runs; the model is as it was before the step");
  }
}

constexpr fault<session_wrong> verify_step(std::size_t samples, std::size_t per_step) {
  if (samples != per_step) return {session_wrong::samples, 0, samples, per_step};
  return {};
}

}  // namespace ipuflow::train
