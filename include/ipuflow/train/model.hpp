// SPDX-License-Identifier: BSL-1.0
// A model: the parameters of a pipeline of layers and the running state of its layers, in the order of tensors.hpp.
// Regrouping a pipeline does not change it, so a session that trains and one that infers share a model although their
// stages and schedules differ.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ipuflow::train {

template <class Number = float>
struct model {
  std::vector<Number> values;
  std::vector<Number> state;

  friend bool operator==(const model&, const model&) = default;
};

/// A model as it is before training: the same numbers for the same seed, on every machine.
template <class Number = float, class P>
model<Number> initial_model(const P&, std::uint64_t seed) {
  constexpr auto& offsets = offsets_of<P>;
  model<Number> m{std::vector<Number>(offsets.all_values()), std::vector<Number>(offsets.all_state())};
  for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
    nn::stage_program<P, S, Number>::initialise(seed, m.values.data() + offsets.values[S],
                                                m.state.data() + offsets.state[S]);
  });
  return m;
}

enum class model_wrong : unsigned char { nothing, parameters, state };
using model_fault = fault<model_wrong>;

constexpr message_text sentence(const model_fault& f) {
  switch (f.kind) {
    case model_wrong::nothing:
      break;
    case model_wrong::parameters:
    case model_wrong::state:
      return words("ipuflow: a model has ", f.got, f.kind == model_wrong::state ? " numbers of state" : " parameters",
                   " but the pipeline has ", f.limit, "; share models between sessions of the same layers");
  }
  return {};
}

/// What keeps a model from being that of a pipeline.
template <class P, class Number>
model_fault verify_model(const model<Number>& m) {
  constexpr auto& offsets = offsets_of<P>;
  if (m.values.size() != offsets.all_values())
    return {model_wrong::parameters, m.values.size(), offsets.all_values()};
  if (m.state.size() != offsets.all_state()) return {model_wrong::state, m.state.size(), offsets.all_state()};
  return {};
}

}  // namespace ipuflow::train
