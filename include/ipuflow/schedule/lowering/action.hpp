// SPDX-License-Identifier: BSL-1.0
// One line of the program that an IPU really runs: a pass, or one of the sends, receives and movements of weights that
// lowering puts around it.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// The kinds of actions: passes, messages, and moves of weights and gradients.
enum class act : unsigned char {
  forward,
  backward_inputs,
  backward,
  backward_weights,
  gather_weights,  ///< from where they rest to where they are used
  release_weights,
  reduce_gradients,  ///< over replicas, after the last backward of a stage
  send_forward,
  receive_forward,  ///< named after the stage that receives
  send_backward,
  receive_backward
};

namespace impl {

inline constexpr std::size_t act_count = 11;

/// The words of the exchange format.
[[nodiscard]] constexpr std::string_view word_of(act kind) {
  constexpr std::string_view words_of_kinds[] = {"F",           "I",      "B",      "W",      "UNSHARD", "RESHARD",
                                                 "REDUCE_GRAD", "SEND_F", "RECV_F", "SEND_B", "RECV_B"};
  return words_of_kinds[static_cast<std::size_t>(kind)];
}

/// True if an action is about one micro-batch.
[[nodiscard]] constexpr bool of_micro_batch(act kind) {
  return kind < act::gather_weights || kind > act::reduce_gradients;
}
[[nodiscard]] constexpr bool is_compute(act kind) { return kind < act::gather_weights; }

}  // namespace impl

/// One action of an IPU.
struct action {
  act kind = act::forward;
  std::size_t stage = 0;
  std::size_t micro_batch = 0;
  bool with_next = false;  ///< runs together with the next one
  std::size_t step = 0;

  friend constexpr bool operator==(const action&, const action&) = default;
};

namespace impl {

[[nodiscard]] constexpr act act_of(pass kind) {
  switch (kind) {
    case pass::forward:
      return act::forward;
    case pass::backward:
      return act::backward;
    case pass::backward_inputs:
      return act::backward_inputs;
    default:
      return act::backward_weights;
  }
}

[[nodiscard]] constexpr pass pass_of(act kind) {
  constexpr pass passes[] = {pass::forward, pass::backward_inputs, pass::backward, pass::backward_weights};
  return passes[static_cast<std::size_t>(kind)];
}

/// True if the exchange format has a word for a pass.
[[nodiscard]] constexpr bool has_word(pass kind) { return kind <= pass::backward_weights; }

}  // namespace impl

/// A row of actions for each IPU.
using action_rows = dynamic_array<dynamic_array<action>>;

}  // namespace ipuflow::schedule
