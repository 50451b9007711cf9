// SPDX-License-Identifier: BSL-1.0
// Rows of the validation table from training runs and transfers: what was run is described where it is built, in
// digits.hpp and resnet.hpp; measured figures and their conditions are here.
#pragma once

#include <validation/digits.hpp>
#include <validation/models.hpp>
#include <validation/resnet.hpp>
#include <validation/row.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// Of a transfer between a chip and its host.
constexpr double host_seconds(const chip_system& all, double size) { return size / host_rate(all); }

/// A step of the perceptron below on four chips.
inline seconds perceptron_time(const adam_state& state) { return perceptron_step(mk2, 8, 8, 4, state).time(); }

/// What a step takes that is called from Python, besides the chips: fitted to the perceptron whose state stays on chip.
inline seconds call_from_python() { return seconds{256 / 107'418.9 - perceptron_time({}).value}; }

/// Streams and streaming memory: bytes and rates alone; the tutorial on data loading, with the loader's own rate from
/// the same runs; a perceptron whose optimiser's state is on the chip or not. Its steps are called from Python: what
/// that takes is fitted to the first of these rows.
inline std::vector<validation_row> transfer_rows() {
  const chip_system machine = pod(mk2, 4);
  const auto rate = [](std::size_t items, const profile& p) { return static_cast<double>(items) / p.time().value; };
  const auto tutorial = [&](std::size_t replicas, bool real, double loader) {
    const auto items = static_cast<double>(16 * replicas);
    return rate(16 * replicas, tutorial_iteration(mk2, 16, replicas, real, seconds{real ? items / loader : 0.0}));
  };
  const seconds call = call_from_python();
  const auto stepped = [&](const adam_state& state) { return 256 / (call + perceptron_time(state)).value; };
  return {
      {"S1", "8.8 MB from a chip to the host", "ms", 1.6, host_seconds(machine, 8.8e6) * 1e3, basis::fitted},
      {"S2", "1.37 KB from a chip to the host", "us", 0.5, host_seconds(machine, 1370) * 1e6, basis::upper_bound},
      {"D", "small CNN, batch 16, data made on chip", "items/s", 46'739, tutorial(1, false, 0)},
      {"D", "the same, loaded by the host", "items/s", 17'957, tutorial(1, true, 37'710)},
      {"D", "small CNN, two replicas, made on chip", "items/s", 46'384, tutorial(2, false, 0)},
      {"D", "the same, loaded by the host", "items/s", 14'974, tutorial(2, true, 42'605)},
      {"P", "perceptron, 4 replicas, state on chip", "items/s", 107'418.9, stepped({}), basis::fitted},
      {"P", "state off chip", "items/s", 43'418.9, stepped({true}), basis::fitted},
      {"P", "and shared: of the first weights", "items/s", 50'909.2, stepped({true, 262'145})},
      {"P", "of all weights", "items/s", 67'403.4, stepped({true, 1024})},
      {"P", "of everything", "items/s", 72'570.0, stepped({true, 512})},
  };
}

/// A run that its host limits, which is not simulated: the tutorial on pipelines.
inline std::vector<validation_row> hosted_rows() {
  return {{"N", "MNIST over four chips, host and loader", "items/s", 60'160,
           digits_in_a_step / (call_from_python() + digits_step(mk2)).value}};
}

/// What four replicas add to the code of BERT-L, by one encoder layer in training: control code, and code for exchanges
/// within a chip. The model takes from replicas one step for each parameter, the all-reduce.
inline std::vector<validation_row> replica_rows() {
  const auto code = [](std::size_t replicas) {
    network_sketch net(mk2, amp_precision::half_half, 0.25);
    const attention_shape a{.samples = 8};
    encoder_layer(net, a, net.value("in", a.samples * a.sequence * a.hidden));
    std::vector<step> steps{sequence(net.forward), net.backwards(), net.accumulate()};
    for (const traced_parameter& p : net.parameters) {
      if (replicas > 1) steps.push_back(all_reduce(p.sum));
      steps.push_back(scaled_add(net.g, p.value, -0.001f, p.sum));
    }
    return cost(pod(mk2, replicas), net.g, sequence(std::move(steps)),
                {.replicas = replicas, .allow_out_of_memory = true})
        .memory;
  };
  const memory_report one = code(1), four = code(4);
  const auto more = [&](memory_category c) {
    return static_cast<double>(four.total(c)) / static_cast<double>(one.total(c));
  };
  return {{"R", "BERT-L, 4 replicas by 1: control code", "x", 117'063'756.0 / 91'668'904.0,
           more(memory_category::control_code)},
          {"R", "  exchange code within chips", "x", 126'520'640.0 / 108'270'156.0,
           more(memory_category::exchange_code)}};
}

/// Pipelined BERT-L on Bow: the slot of the stage of seven layers, and what four times the replicas gain at the same
/// batch. ResNet-50 as data parallel, gradients of 57 micro-batches added up on 16 chips and of 14 on 64.
inline std::vector<validation_row> training_rows() {
  const seconds slot = stage_slot(bow, {.samples = 8}, 7, 0.25);
  const auto step = [&](std::size_t chips) {
    constexpr std::size_t stages = 4;
    const std::size_t replicas = chips / stages;
    const double micro_batches = 65'280.0 / static_cast<double>(8 * replicas);
    const cycles reduced = ring_time(pod(bow, chips), bytes{2 * 336'226'108 / stages}, replicas, stages, 2);
    return (micro_batches + 2 * (stages - 1)) * slot.value + (reduced / bow.clock).value;
  };
  constexpr std::size_t batch = 18;
  const double images = resnet50_rate(pod(bow, 16), batch, 0.16);
  const auto images_of = [&](std::size_t chips, std::size_t accumulated) {
    const cycles reduced = ring_time(pod(bow, chips), bytes{2 * 25'557'032}, chips, 1, 2);
    const auto of_a_chip = static_cast<double>(batch * accumulated);
    return static_cast<double>(chips) * of_a_chip / (of_a_chip / images + (reduced / bow.clock).value);
  };
  const double faster = bow.clock.value / mk2.clock.value;
  return {{"T1", "BERT-L, slot of 7 layers, Bow, TF2", "ms", 7.069, slot.value * 1e3},
          {"T3", "BERT-L, slot of 7 layers, Bow, PopART", "ms", 6.18, slot.value * 1e3},
          {"T4", "BERT-L, slot of 7 layers, Bow, packed", "ms", 6.69, slot.value * 1e3},
          {"T2", "BERT-L, Pod64 by Pod16", "x", 4.02, step(16) / step(64)},
          {"T12", "ResNet-50, Bow Pod16", "img/s", 37'061, images_of(16, 57)},
          {"T13", "ResNet-50, Bow, Pod64 by Pod16", "x", 3.48, images_of(64, 14) / images_of(16, 57)},
          {"T15", "ResNet-50, a chip of mk2, MLPerf", "img/s", 1875, resnet50_rate(pod(mk2, 16), batch, 0.16)},
          {"T20", "Conformer, Bow by mk2, Pod4", "x", 1.375, faster},
          {"T20", "Conformer, Bow by mk2, Pod16", "x", 1.360, faster},
          {"T20", "Conformer, Bow by mk2, Pod64", "x", 1.353, faster}};
}

}  // namespace validation
