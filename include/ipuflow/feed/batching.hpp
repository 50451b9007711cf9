// SPDX-License-Identifier: BSL-1.0
// Batch sizes. A micro-batch is one pass through the pipeline; `accumulation` of them form a replica batch; all
// replicas together form a global batch, after which the weights are updated; a step is one global batch per device
// iteration and is handed over by the host as a unit. If the sizes are constants, so are the results.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/mode.hpp>

#include <cstddef>
#include <limits>

namespace ipuflow::feed {

/// The sizes of a step, from the micro-batch up.
struct batch_sizes {
  std::size_t micro_batch = 1;        ///< samples in one pass through the pipeline
  std::size_t accumulation = 1;       ///< micro-batches between two weight updates
  std::size_t replicas = 1;           ///< copies of the pipeline, each with samples of its own
  std::size_t input_group = 1;        ///< replicas that share one input
  std::size_t device_iterations = 1;  ///< global batches in a step
  mode run_for = mode::training;      ///< inference accumulates nothing

  friend constexpr bool operator==(const batch_sizes&, const batch_sizes&) = default;
};

enum class batching_wrong : unsigned char {
  nothing,
  no_micro_batch,
  no_accumulation,
  no_replicas,
  no_device_iterations,
  no_input_group,
  input_group_too_large,
  input_group_does_not_divide,
  inference_accumulates,
  overflow,
  no_step,
  no_whole_step
};
using batching_fault = fault<batching_wrong>;

constexpr const char* wording(batching_wrong wrong) {
  switch (wrong) {
    case batching_wrong::nothing:
      break;
    case batching_wrong::no_micro_batch:
      return "ipuflow: a micro-batch of {got} sample{s} feeds nothing; give micro_batch at least {limit}";
    case batching_wrong::no_accumulation:
      return "ipuflow: weights cannot be updated after {got} micro-batch{es}; give accumulation at least {limit}";
    case batching_wrong::no_replicas:
      return "ipuflow: {got} replica{s} {computes|compute} nothing; give replicas at least {limit}";
    case batching_wrong::no_device_iterations:
      return "ipuflow: a step of {got} device iteration{s} does nothing; give device_iterations at least {limit}";
    case batching_wrong::no_input_group:
      return "ipuflow: an input cannot be shared by {got} replica{s}; give input_group at least {limit}";
    case batching_wrong::input_group_too_large:
      return "ipuflow: an input is shared by {got} replica{s} of {limit}; give a smaller input_group";
    case batching_wrong::input_group_does_not_divide:
      return "ipuflow: groups of {got} replica{s} {shares|share} an input, which does not divide the {limit} replica{s}; give an input_group that does";
    case batching_wrong::inference_accumulates:
      return "ipuflow: inference updates no weights but accumulates {got} micro-batch{es}; set accumulation to 1 and use more device_iterations";
    case batching_wrong::no_step:
      return "ipuflow: an epoch cannot be cut into steps of {got} sample{s}; take at least {limit}";
    case batching_wrong::no_whole_step:
      return "ipuflow: the dataset has {limit} sample{s}, too few for one step of {got}, and tail::dropped drops them all; take smaller steps or keep the "
             "last short one";
    case batching_wrong::overflow:
      return "ipuflow: the samples of a step are more than a number of 64 bits can hold, {got} times {limit} and more; give smaller sizes";
  }
  return "";
}

constexpr message_text sentence(const batching_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

namespace detail {

/// The first product in a row of sizes that overflows. All replicas are in it, those that share an input too: each has results.
constexpr batching_fault verify_products(const batch_sizes& b) {
  std::size_t product = b.micro_batch;
  for (const std::size_t size : {b.accumulation, b.replicas, b.device_iterations}) {
    if (product > std::numeric_limits<std::size_t>::max() / size) {
      return {batching_wrong::overflow, product, size};
    }
    product *= size;
  }
  return {};
}

}  // namespace detail

/// The first fault of these sizes.
[[nodiscard]] constexpr batching_fault verify(const batch_sizes& b) {
  using enum batching_wrong;
  if (b.micro_batch == 0) return {no_micro_batch, 0, 1};
  if (b.accumulation == 0) return {no_accumulation, 0, 1};
  if (b.replicas == 0) return {no_replicas, 0, 1};
  if (b.device_iterations == 0) return {no_device_iterations, 0, 1};
  if (b.input_group == 0) return {no_input_group, 0, 1};
  if (b.input_group > b.replicas) return {input_group_too_large, b.input_group, b.replicas};
  if (b.replicas % b.input_group != 0) return {input_group_does_not_divide, b.input_group, b.replicas};
  if (b.run_for == mode::inference && b.accumulation != 1) return {inference_accumulates, b.accumulation, 1};
  return detail::verify_products(b);
}

/// Samples that one replica takes between two weight updates.
[[nodiscard]] constexpr std::size_t replica_batch(const batch_sizes& b) {
  throw_if(verify(b));
  return b.micro_batch * b.accumulation;
}

/// Samples that all replicas take between two weight updates; replicas that share an input count once.
[[nodiscard]] constexpr std::size_t global_batch(const batch_sizes& b) {
  return replica_batch(b) * (b.replicas / b.input_group);
}

/// Samples that the host hands over at once.
[[nodiscard]] constexpr std::size_t samples_per_step(const batch_sizes& b) {
  return global_batch(b) * b.device_iterations;
}

/// Micro-batches that each replica takes in a step.
[[nodiscard]] constexpr std::size_t micro_batches_per_step(const batch_sizes& b) {
  if (b.accumulation > 0 && b.device_iterations > std::numeric_limits<std::size_t>::max() / b.accumulation)
    throw_if(batching_fault{batching_wrong::overflow, b.accumulation, b.device_iterations});
  return b.device_iterations * b.accumulation;
}

/// The treatment of samples that do not fill a step.
enum class tail : bool { kept, dropped };

/// Steps of `step_samples` samples in a pass over a dataset.
[[nodiscard]] constexpr std::size_t steps_per_epoch(std::size_t dataset_samples, std::size_t step_samples,
                                                    tail last = tail::dropped) {
  if (step_samples == 0) throw_if(batching_fault{batching_wrong::no_step, step_samples, 1});
  const std::size_t whole = dataset_samples / step_samples;
  return last == tail::dropped || dataset_samples % step_samples == 0 ? whole : whole + 1;
}

[[nodiscard]] constexpr std::size_t steps_per_epoch(std::size_t dataset_samples, const batch_sizes& b,
                                                    tail last = tail::dropped) {
  return steps_per_epoch(dataset_samples, samples_per_step(b), last);
}

/// The first fault of taking steps of these sizes from a dataset of that size.
[[nodiscard]] constexpr batching_fault verify_steps(std::size_t dataset_samples, const batch_sizes& b,
                                                           tail last = tail::dropped) {
  if (const auto found = verify(b)) return found;
  const std::size_t step = samples_per_step(b);
  if (dataset_samples > 0 && steps_per_epoch(dataset_samples, step, last) == 0) {
    return {batching_wrong::no_whole_step, step, dataset_samples};
  }
  return {};
}

}  // namespace ipuflow::feed

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<feed::batching_fault>;
}
#endif
