// SPDX-License-Identifier: BSL-1.0
// A model: the parameters of a pipeline of layers and the running state of its layers, in the order of tensors.hpp.
// Regrouping a pipeline does not change it, so a session that trains and one that infers share a model although their
// stages and schedules differ.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/train/tensors.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
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

/// The functions that write what the layers of each stage begin with.
template <class P, class Number>
inline constexpr auto initialisers_of = []<std::size_t... S>(std::index_sequence<S...>) {
  return std::array<const nn::initialiser<Number>*, sizeof...(S)>{nn::initialisers_of<P, S, Number>...};
}(std::make_index_sequence<P::stage_count>{});

/// Those of all stages, outside of a pipeline's type.
template <class Number>
using initialiser_lists = light_span<const nn::initialiser<Number>* const>;

template <class Number>
[[nodiscard]] model<Number> initial_model_of(const network_layout& network, initialiser_lists<Number> layers, std::uint64_t seed) {
  model<Number> m{std::vector<Number>(network.all_values()), std::vector<Number>(network.all_state())};
  for (std::size_t s = 0; s < layers.size(); ++s)
    nn::initialise_stage(network.plan.stages[s].steps, layers[s], seed, m.values.data() + network.values[s],
                         m.state.data() + network.state[s]);
  network.each_tie([&](std::size_t table, std::size_t copy, std::size_t count) {
    algorithms::copy_n(m.values.data() + table, count, m.values.data() + copy);
  });
  return m;
}

}  // namespace impl

/// A model as it is before training: the same numbers for the same seed, on every machine.
template <class Number = float, class P>
[[nodiscard]] model<Number> initial_model(const P&, std::uint64_t seed) {
  return impl::initial_model_of<Number>(impl::layout_of<P>, impl::initialisers_of<P, Number>, seed);
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

/// The first fault of a model for a pipeline with these numbers of parameters and of state; of one with a layout, also weights
/// that layers share and that differ.
template <class Number>
model_fault verify_model(const model<Number>& m, std::size_t parameters, std::size_t state) {
  if (m.values.size() != parameters) return {model_wrong::parameters, m.values.size(), parameters};
  if (m.state.size() != state) return {model_wrong::state, m.state.size(), state};
  return {};
}
template <class Number>
model_fault verify_model(const model<Number>& m, const network_layout& network) {
  model_fault found = verify_model(m, network.all_values(), network.all_state());
  network.each_tie([&](std::size_t table, std::size_t copy, std::size_t count) {
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
namespace ipuflow::train::impl {
extern template model<float> initial_model_of(const network_layout&, initialiser_lists<float>, std::uint64_t);
extern template model<double> initial_model_of(const network_layout&, initialiser_lists<double>, std::uint64_t);
extern template model_fault verify_model(const model<float>&, const network_layout&);
extern template model_fault verify_model(const model<double>&, const network_layout&);
}
#endif
