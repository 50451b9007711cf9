// SPDX-License-Identifier: BSL-1.0
// A whole pipeline of layers, stage after stage, for one micro-batch: the simplest executor that there can be.
// Neighbours share the memory of their messages.
#pragma once

#include <ipuflow/nn/stage/stage_program.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace nn_test {

using namespace ipuflow;

struct area_memory {
  std::unique_ptr<std::byte, decltype(&std::free)> memory{nullptr, &std::free};

  explicit area_memory(std::size_t bytes = 0)
      : memory{static_cast<std::byte*>(std::aligned_alloc(nn::area_alignment, bytes + nn::area_alignment)),
               &std::free} {
    for (std::size_t i = 0; i < bytes; ++i) memory.get()[i] = std::byte{};
  }
};

template <class P, class T, std::size_t Stage, std::size_t Branch = nn::every_branch, bool Trains = true>
struct running_stage {
  using program_type = nn::stage_program<P, Stage, T, Branch, Trains>;
  program_type program;
  std::vector<area_memory> own;
  nn::stage_memory memory;
  std::vector<T> values, d_values, state;

  explicit running_stage(std::size_t samples, bool by_segment)
      : program{samples, by_segment},
        values(program_type::parameter_count),
        d_values(program_type::parameter_count),
        state(program_type::state_count) {
    for (std::size_t a = 0; a < nn::impl::area_count; ++a) {
      memory.values[a] = own.emplace_back(program.layout().value_bytes[a]).memory.get();
      memory.gradients[a] = own.emplace_back(program.layout().gradient_bytes[a]).memory.get();
    }
    program_type::initialise(11, values.data(), state.data());
  }
  nn::parameters<T> parameters() { return {values.data(), state.data()}; }

  /// Makes not-a-numbers of all values that recomputation makes again.
  void forget() {
    for (const nn::area where : {nn::area::kept, nn::area::passing, nn::area::exit}) {
      if (where == nn::area::exit && program_type::plan.exit_is_read_later) continue;
      std::memset(memory.value(where), 0xff, program.layout().bytes_of_values(where).value);
    }
  }
  /// And of all gradients that no message brings.
  void spoil_gradients() {
    for (const nn::area where : {nn::area::kept, nn::area::passing})
      std::memset(memory.gradient(where), 0xff, program.layout().bytes_of_gradients(where).value);
  }
};

template <class P, class T = double, bool Trains = true, class Stages = std::make_index_sequence<P::stage_count>>
struct pipeline_run;
template <class P, class T, bool Trains, std::size_t... Stage>
struct pipeline_run<P, T, Trains, std::index_sequence<Stage...>> {
  static constexpr std::size_t last = sizeof...(Stage) - 1;
  template <std::size_t S>
  using running = running_stage<P, T, S, nn::every_branch, Trains>;

  std::tuple<running<Stage>...> stages;
  nn::context context{.seed = 3, .micro_batch = 8, .updates_state = false};
  std::size_t samples;

  explicit pipeline_run(std::size_t count, bool by_segment = false)
      : stages{running<Stage>{Stage < sizeof...(Stage) ? count : 0, by_segment}...}, samples{count} {
    (connect<Stage>(), ...);
  }

  template <std::size_t S>
  auto& stage() {
    return std::get<S>(stages);
  }

  void forward() { (stage<Stage>().program.forward(stage<Stage>().memory, stage<Stage>().parameters(), context), ...); }

  /// In one walk, or inputs of all stages first and then the weights of all.
  void backward(bool split) {
    backward_with([&](auto& s) { one_backward(s, split); });
    if (split) (weights<Stage>(), ...);
  }

  /// In a way of one's own: `pass(stage)` goes back through a stage.
  template <class Pass>
  void backward_with(Pass pass) {
    stage<last>().program.seed_gradients(stage<last>().memory, T{1});
    (pass(stage<last - Stage>()), ...);
  }

 private:
  template <std::size_t S>
  void connect() {
    if constexpr (S > 0) {
      stage<S>().memory.value(nn::area::entry) = stage<S - 1>().memory.value(nn::area::exit);
      stage<S>().memory.gradient(nn::area::entry) = stage<S - 1>().memory.gradient(nn::area::exit);
    }
  }
  template <class Running>
  void one_backward(Running& s, bool split) {
    if (split) {
      s.program.backward_inputs(s.memory, s.parameters(), context);
    } else {
      s.program.backward(s.memory, s.parameters(), context, s.d_values.data());
    }
  }
  template <std::size_t S>
  void weights() {
    auto& s = stage<S>();
    s.program.backward_weights(s.memory, s.parameters(), context, s.d_values.data());
  }
};

}  // namespace nn_test
