// SPDX-License-Identifier: BSL-1.0
// The weight update: optimiser, its state, loss scale, and parameters kept in another type than layers compute with. The
// work is cut into pieces that do not depend on each other, so any number of threads or replicas may share it.
#pragma once

#include <ipuflow/core/half.hpp>
#include <ipuflow/train/loss_scale.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace ipuflow::train {

/// Some neighbouring parameters: those of one layer.
struct piece {
  std::size_t stage = 0;
  std::size_t begin = 0;  ///< among all
  std::size_t of_stage = 0;  ///< the same place, counted from the first of the stage
  std::size_t count = 0;
};

template <class Optimiser, class Parameter, class Compute>
class updater {
 public:
  using state_type = typename Optimiser::state_type;

  updater(const Optimiser& optimiser, std::vector<piece> pieces, const std::vector<Compute>& values)
      : optimiser_{optimiser}, pieces_{std::move(pieces)}, state_(values.size() * Optimiser::states), slopes_(values.size()) {
    if constexpr (keeps_own) {
      for (const Compute v : values) own_.push_back(static_cast<Parameter>(static_cast<float>(v)));
    }
  }

  std::size_t pieces() const { return pieces_.size(); }
  Optimiser& optimiser() { return optimiser_; }
  std::size_t steps() const { return steps_; }
  std::size_t state_bytes() const { return state_.size() * sizeof(state_type); }

  /// First the gradients of all pieces: `gradient(stage, i)`, divided by the scale of the loss.
  template <class Gradient>
  void gather(std::size_t i, float loss_factor, Gradient gradient) {
    const piece& p = pieces_[i];
    for (std::size_t k = 0; k < p.count; ++k) slopes_[p.begin + k] = gradient(p.stage, p.of_stage + k) / loss_factor;
  }
  /// Then, if they are finite, one update of all pieces.
  bool overflow() const { return overflowed(slopes_); }
  void count_step() { ++steps_; }
  void update(std::size_t i, std::vector<Compute>& values) {
    const piece& p = pieces_[i];
    const std::span<const float> slopes{slopes_.data() + p.begin, p.count};
    const std::span<state_type> state{state_.data() + p.begin * Optimiser::states, p.count * Optimiser::states};
    if constexpr (keeps_own) {
      optimiser_.update(std::span<Parameter>{own_.data() + p.begin, p.count}, slopes, state, steps_);
      for (std::size_t k = 0; k < p.count; ++k) values[p.begin + k] = static_cast<Compute>(static_cast<float>(own_[p.begin + k]));
    } else {
      optimiser_.update(std::span<Compute>{values.data() + p.begin, p.count}, slopes, state, steps_);
    }
  }

  /// What a failed step is taken back to.
  struct snapshot {
    std::vector<state_type> state;
    std::vector<Parameter> own;
    std::size_t steps = 0;
  };
  void save_to(snapshot& s) const {
    s.state = state_;
    s.own = own_;
    s.steps = steps_;
  }
  void restore(const snapshot& s) {
    state_ = s.state;
    own_ = s.own;
    steps_ = s.steps;
  }

 private:
  static constexpr bool keeps_own = !std::is_same_v<Parameter, Compute>;

  Optimiser optimiser_;
  std::vector<piece> pieces_;
  std::vector<state_type> state_;
  std::vector<float> slopes_;
  std::vector<Parameter> own_;
  std::size_t steps_ = 0;
};

}  // namespace ipuflow::train
