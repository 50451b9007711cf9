// SPDX-License-Identifier: BSL-1.0
// The vendor's perceptron for digits (784, three times 512, 10; float) on four replicas, eight micro-batches of eight a step, then
// Adam with a half and a float of state for each parameter: on the chip, in streaming memory, or there and shared by replicas.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <validation/networks.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

using namespace ipuflow;

namespace {

constexpr auto network = single_stage(input<float, 784>, per_sample<"class", std::int32_t>,
                                      repeat<3>(block<"hidden">(nn::linear<512>, nn::gelu)),
                                      block<"classes">(nn::linear<10>, use<"class">(nn::cross_entropy)));
using adam = train::basic_adam<train::decay::in_gradient, half, float>;

constexpr std::size_t digits_in_a_step = 4 * 8 * 8;

/// The seconds of a step. Tensors with at least so many numbers have their state shared; 0: none have.
double step_time(run::kept_in state, std::size_t shared_from) {
  const train::session session(
      network, schedule::sharded(network, micro_batches<8>), adam{},
      {.micro_batch = 8, .replicas = 4, .shard_optimiser = shared_from > 0, .shard_at_least = shared_from},
      on::chips{.system = ipu::pod(ipu::mk2, 4), .optimiser_state = state});
  return session.cost().chips.time().value;
}

}  // namespace

double call_from_python() {
  static const double call = digits_in_a_step / 107'418.9 - step_time(run::kept_in::tiles, 0);
  return call;
}

std::vector<validation_row> perceptron_rows() {
  using enum row_class;
  using run::kept_in;
  const auto rate = [](kept_in state, std::size_t shared_from) {
    return digits_in_a_step / (call_from_python() + step_time(state, shared_from));
  };
  const auto off = kept_in::streaming_memory;
  return {{"P", "perceptron, 4 replicas, state on chip", "items/s", 107'418.9, rate(kept_in::tiles, 0), perceptrons, fitted::python_call},
          {"P", "state off chip", "items/s", 43'418.9, rate(off, 0), perceptrons, fitted::streaming},
          {"P", "and shared: of the first weights", "items/s", 50'909.2, rate(off, 512 * 512 + 1), perceptrons},
          {"P", "of all weights", "items/s", 67'403.4, rate(off, 1024), perceptrons},
          {"P", "of everything", "items/s", 72'570.0, rate(off, 1), perceptrons}};
}

}  // namespace validation
