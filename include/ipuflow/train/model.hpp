// SPDX-License-Identifier: BSL-1.0
// A model: the parameters of a pipeline of layers and the running state of its layers, in the order of tensors.hpp.
// Regrouping a pipeline does not change it, so a session that trains and one that infers share a model although their
// stages and schedules differ.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ipuflow::train {

template <class Number = float>
struct model {
  using number = Number;
  std::vector<Number> values;
  std::vector<Number> state;

  friend bool operator==(const model&, const model&) = default;
};

namespace impl {

template <class P, class Number>
[[nodiscard]] model<Number> initial_model_of(std::uint64_t seed) {
  constexpr auto& offsets = impl::offsets_of<P>;
  model<Number> m{std::vector<Number>(offsets.all_values()), std::vector<Number>(offsets.all_state())};
  impl::for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
    nn::initialise_stage<P, S, Number>(seed, m.values.data() + offsets.values[S], m.state.data() + offsets.state[S]);
  });
  impl::for_each_tie<P>([&](std::size_t table, std::size_t copy, std::size_t count) {
    algorithms::copy_n(m.values.data() + table, count, m.values.data() + copy);
  });
  return m;
}

}  // namespace impl

/// A model as it is before training: the same numbers for the same seed, on every machine.
template <class Number = float, class P>
[[nodiscard]] model<Number> initial_model(const P&, std::uint64_t seed) {
  return impl::initial_model_of<P, Number>(seed);
}

enum class model_wrong : unsigned char { nothing, parameters, state, copies_differ };
using model_fault = fault<model_wrong>;

constexpr const char* wording(model_wrong wrong) {
  switch (wrong) {
    case model_wrong::nothing:
      break;
    case model_wrong::parameters:
      return "ipuflow: a model has {got} parameter{s} but the pipeline has {limit}; share models between sessions of the same layers";
    case model_wrong::state:
      return "ipuflow: a model has {got} number{s} of state but the pipeline has {limit}; share models between sessions of the same layers";
    case model_wrong::copies_differ:
      return "ipuflow: parameter {got} of a model is a copy of parameter {limit}, but they differ; give layers that share weights the same numbers";
  }
  return "";
}

[[gnu::cold]] constexpr message_text sentence(const model_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

namespace impl {

/// The first fault of a model for a pipeline with these numbers of parameters and of state; of one of a pipeline's type, also weights
/// that layers share and that differ.
template <class Number>
model_fault verify_model(const model<Number>& m, std::size_t parameters, std::size_t state) {
  if (m.values.size() != parameters) return {model_wrong::parameters, m.values.size(), parameters};
  if (m.state.size() != state) return {model_wrong::state, m.state.size(), state};
  return {};
}
template <class P, class Number>
model_fault verify_model(const model<Number>& m) {
  model_fault found = verify_model(m, offsets_of<P>.all_values(), offsets_of<P>.all_state());
  for_each_tie<P>([&](std::size_t table, std::size_t copy, std::size_t count) {
    for (std::size_t i = 0; i < count && !found; ++i) {
      const bool differ = std::memcmp(&m.values[copy + i], &m.values[table + i], sizeof(Number)) != 0;
      if (differ) found = {model_wrong::copies_differ, copy + i, table + i};
    }
  });
  return found;
}

}  // namespace impl

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::model_fault>;
}
#endif
