// SPDX-License-Identifier: BSL-1.0
// BERT-large in pre-training, sequences of 128: pipelines of four chips with 3, 7, 7 and 7 layers, micro-batches of 8, everything in
// half, LAMB with its state off the chips, layers computed again backwards. Replicas share the state as the files of T3 and T4 say, and
// not as that of T1 does; the memory of operations is each file's, by chip. A slot is what a micro-batch takes, as published rates give it. That the layers fit their chips is checked with it.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <validation/bert.hpp>
#include <validation/networks.hpp>

#include <cstddef>
#include <cstdint>

namespace validation {

namespace {

using lamb = train::basic_lamb<half, float>;
using halves = train::precision<float, half, half>;

/// The loss is that of the following text: scores of masked words, for which the runs had tiles of the first chip, are left out.
constexpr auto network = regroup(
    single_stage(input<std::uint16_t, positions>, per_sample<"segment", number_of_each>, per_sample<"text", number_of_each>,
                 per_sample<"follows", std::uint8_t>, bert_in<bert_large, half>, zoo::bert_pooler<bert_large>,
                 block<"loss">(nn::linear<2>, use<"follows">(nn::cross_entropy))),
    stage<"embeddings", "layer[0:3]">().ipu<0>(), stage<"layer[3:10]">().ipu<1>(), stage<"layer[10:17]">().ipu<2>(),
    stage<"layer[17:24]", "pooler", "loss">().ipu<3>());

/// What configurations differ in.
struct bert_run {
  bool shares_state = false;
  ipu::memory_proportions memory{};
};
constexpr bert_run tensorflow{false, {.10, .19, .20, .25}}, tensorflow_pod64{true, {.10, .19, .20, .20}}, popart{true, {.15, .25, .25, .25}};

/// Sequences a second of pipelines of four chips of Bow. Runs of TensorFlow have batches of 65,280; grouped passes come in fours.
template <std::size_t Replicas, std::size_t Accumulated>
double sequences_a_second(const bert_run& as) {
  constexpr auto timetable =
      schedule::grouped(network, micro_batches<Accumulated>, {.recompute = schedule::recomputation::and_backpropagate});
  const train::session session(
      network, timetable, lamb{}, {.micro_batch = 8, .replicas = Replicas, .shard_optimiser = as.shares_state},
      on::chips{.system = ipu::pod(ipu::bow, 4 * Replicas), .optimiser_state = run::kept_in::streaming_memory, .memory_proportion = as.memory,
                .half_partials = true},
      halves{});
  return samples_a_second(session);
}

constexpr auto single_layer = single_stage(input<half, positions, 1024>, per_sample<"text", number_of_each>,
                                           per_sample<"follows", std::uint8_t>, bert_layer,
                                           block<"loss">(nn::position<0>, nn::linear<2>, use<"follows">(nn::cross_entropy)));

/// The memory of that layer in training on one chip, with its copies on others.
ipu::memory_report memory_of_replicas(std::size_t replicas) {
  const train::session session(
      single_layer, schedule::sharded(single_layer, micro_batches<1>), lamb{}, {.micro_batch = 8, .replicas = replicas},
      on::chips{.system = ipu::pod(ipu::mk2, replicas), .synthetic = true, .memory_proportion = 0.25, .allow_out_of_memory = true},
      halves{});
  return session.cost().chips.memory;
}

}  // namespace

std::vector<validation_row> bert_rows() {
  using enum row_class;
  using ipu::memory_category;
  const double pod16 = sequences_a_second<4, 2040>(tensorflow), pod64 = sequences_a_second<16, 512>(tensorflow_pod64);
  const auto slot = [](double speed) { return 8 * 4 / speed * 1e3; };
  const double of_popart = slot(sequences_a_second<4, 2048>(popart)), packed = slot(sequences_a_second<4, 1752>(popart));
  const ipu::memory_report one = memory_of_replicas(1), four = memory_of_replicas(4);
  const auto more = [&](memory_category c) { return static_cast<double>(four.total(c)) / static_cast<double>(one.total(c)); };
  return {{"T1", "BERT-L, slot of 7 layers, Bow, TF2", "ms", 7.069, slot(pod16), transformers},
          {"T3", "BERT-L, slot of 7 layers, Bow, PopART", "ms", 6.18, of_popart, transformers},
          {"T4", "BERT-L, slot of 7 layers, Bow, packed", "ms", 6.69, packed, transformers},
          {"T2", "BERT-L, Pod64 by Pod16", "x", 4.02, pod64 / pod16, transformers},
          {"R", "BERT-L, 4 replicas by 1: control code", "x", 117'063'756.0 / 91'668'904.0, more(memory_category::control_code),
           state_and_code},
          {"R", "  exchange code within chips", "x", 126'520'640.0 / 108'270'156.0, more(memory_category::exchange_code),
           exchange_code}};
}

}  // namespace validation
