// SPDX-License-Identifier: BSL-1.0
// All numbers of a session that its next step depends on: what was learned, what the optimiser remembers, how far it is. A session
// that goes on from them does what the first one would have done, bit for bit; with other stages, replicas or another schedule too.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/train/model.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ipuflow::train {

template <class Number = float>
struct training_state {
  model<Number> learned{};
  type_text optimiser{};                       ///< its name
  std::vector<std::byte> optimiser_numbers{};  ///< in the order of the model, first numbers before second ones
  std::uint64_t seed = 0;                      ///< of dropout and stochastic rounding
  std::uint64_t steps = 0;
  std::uint64_t updates = 0;
  std::uint64_t micro_batches = 0;  ///< so far, of all replicas: their numbers say what dropout drops
  float loss_factor = 1;            ///< the scale of the loss
  std::uint64_t good_updates = 0;   ///< since that changed
  std::uint64_t skipped_updates = 0;

  friend bool operator==(const training_state&, const training_state&) = default;
};

enum class state_wrong : unsigned char { nothing, optimiser, optimiser_numbers, seed };

/// `where` has the names of both optimisers.
struct optimiser_names {
  type_text saved{};
  type_text here{};

  friend constexpr bool operator==(const optimiser_names&, const optimiser_names&) = default;
};
using state_fault = fault<state_wrong, optimiser_names>;

constexpr const char* wording(state_wrong wrong) {
  switch (wrong) {
    case state_wrong::nothing:
      break;
    case state_wrong::optimiser:
      return "ipuflow: a training state of the optimiser {saved} cannot go on with {here}; give the session the optimiser that it began with";
    case state_wrong::optimiser_numbers:
      return "ipuflow: a training state has {got} byte{s} of its optimiser but the session needs {limit}; give the session the network and the "
             "optimiser that it began with";
    case state_wrong::seed:
      return "ipuflow: a training state began with the seed {got} but the session has {limit}; give the session the same seed, or its dropout is "
             "another one";
  }
  return "";
}

constexpr message_text sentence(const state_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"saved", f.where.saved}, {"here", f.where.here}});
}

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::state_fault>;
}
#endif
