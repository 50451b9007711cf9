// SPDX-License-Identifier: BSL-1.0
// Options of a session on every back end, beside its pipeline, schedule and optimiser.
#pragma once

#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/reduction.hpp>
#include <ipuflow/train/scaling.hpp>
#include <ipuflow/train/session_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ipuflow::train {

/// Options of a session.
struct options {
  std::size_t micro_batch = 1;  ///< samples that go through the pipeline together
  std::size_t device_iterations = 1;  ///< runs of the timetable in a step, each with its own update
  std::size_t replicas = 1;  ///< copies of the pipeline, each with samples of its own
  reduction gradients = reduction::mean;  ///< over the micro-batches of a run and over replicas
  feed::output_mode outputs = feed::output_mode::automatic;  ///< which results come back: in training those of the last micro-batch
  std::size_t output_period = 0;  ///< of every_n: micro-batches for each result
  scaling inputs{};  ///< of inputs that come as integers
  loss_scale scale{};  ///< of the loss
  rounding parameters = rounding::nearest;  ///< of parameters that are kept in fewer bits
  float max_grad_norm = std::numeric_limits<float>::infinity();  ///< longer gradients are shortened to it, all by one factor
  schedule::stage_set recompute{};  ///< stages that keep what entered, and make the rest again within backward
  bool shard_optimiser = false;  ///< each replica keeps the optimiser's state of its share of the parameters
  bool shard_gradients = false;  ///< and its share of what gradients are added up in
  bool shard_weights = false;  ///< and its share of the weights themselves: on chips, which have memories of their own
  std::size_t shard_at_least = 0;  ///< numbers of a tensor: every replica keeps smaller ones whole
  std::uint64_t seed = 42;  ///< of first parameters, dropout and stochastic rounding
  bool check_loss = true;  ///< one that is not a number ends a step of training, and it is said where that arose (on threads)
};

namespace impl {

/// True if each replica keeps the optimiser's state of its share alone: one with a share of gradients or weights updates no other.
constexpr bool shards_state(const options& o) { return o.shard_optimiser || o.shard_gradients || o.shard_weights; }

constexpr session_fault verify_sharding(const options& o) {
  if (shards_state(o)) return {.kind = o.replicas > 1 ? session_wrong::nothing : session_wrong::one_replica};
  if (o.shard_at_least > 0) return {.kind = session_wrong::nothing_sharded, .got = o.shard_at_least};
  return {};
}

/// The first of the real numbers among the options that is none to compute with.
constexpr session_fault verify_figures(const options& o) {
  constexpr float most = 0x1.fffffep+127f;
  const auto finite = [](float x) { return x >= -most && x <= most; };
  if (!finite(o.scale.factor) || o.scale.factor <= 0) return {.kind = session_wrong::loss_factor};
  if (o.scale.automatic && o.scale.patience == 0) return {session_wrong::loss_patience, 0, 1};
  if (!(o.max_grad_norm > 0)) return {.kind = session_wrong::grad_norm};
  if (!finite(o.inputs.scale) || !finite(o.inputs.shift)) return {.kind = session_wrong::input_scaling};
  return {};
}

/// The first fault of a step of `samples` samples. `in_parts`: fewer will do.
constexpr session_fault verify_step(std::size_t samples, std::size_t per_step, bool in_parts) {
  if (samples > per_step || samples == 0) return {session_wrong::samples, samples, per_step};
  if (samples < per_step && !in_parts) return {session_wrong::part_of_step, samples, per_step};
  return {};
}

}  // namespace impl

}  // namespace ipuflow::train
