// SPDX-License-Identifier: BSL-1.0
// What a pipeline of layers has learned: the parameters of all its stages, one after the other, and the running state of
// its layers. Stages follow the order of blocks, so regrouping a pipeline changes nothing here, and a session that trains
// and one that infers share a model whatever their stages and schedules are.
#pragma once

#include <ipuflow/train/pipeline_work.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::train {

template <class Compute = float>
struct model {
  std::vector<Compute> values;
  std::vector<Compute> state;

  friend bool operator==(const model&, const model&) = default;
};

/// A model as it is before training: the same numbers for the same seed, on every machine.
template <class P, class Compute = float>
model<Compute> initial_model(const P&, std::uint64_t seed) {
  constexpr auto& offsets = offsets_of<P, Compute>;
  model<Compute> m{std::vector<Compute>(offsets.values[P::stage_count]), std::vector<Compute>(offsets.state[P::stage_count])};
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    (nn::stage_program<P, S, Compute>::initialise(seed, m.values.data() + offsets.values[S], m.state.data() + offsets.state[S]),
     ...);
  }(std::make_index_sequence<P::stage_count>{});
  return m;
}

}  // namespace ipuflow::train
