// SPDX-License-Identifier: BSL-1.0
// The state that copies of a pipeline read and change while they run: the parameters, one for all in the type that layers
// compute with, rounded to what parameters can hold, and the running state of layers, of which each copy has its own. After a
// run the model's state is the mean over the copies, so it does not matter which samples went to which.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::train::impl {

template <class Compute, class Number, class Parameter = Number>
class copy_state {
 public:
  /// `trains`: the model itself has been rounded.
  copy_state(const model<Number>& m, std::size_t copies, bool trains = false)
      : apart_{!same || (sizeof(Parameter) < sizeof(Number) && !trains)},
        values_(apart_ ? m.values.size() : 0),
        states_(copies, light_vector<Compute>(m.state.size())),
        views_(copies) {}

  /// Before a run: everything as the model has it.
  void read(const model<Number>& m) {
    const Compute* values = values_.data();
    if constexpr (same) values = apart_ ? values : m.values.data();
    if (apart_) {
      convert(m.values, values_);
      round_to<Parameter>(light_span{values_}, rounding::nearest, 0, 0);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      convert(m.state, states_[i]);
      views_[i] = {values, states_[i].data()};
    }
  }
  [[nodiscard]] light_span<const parameter_view<Compute>> views() const { return {views_.data(), views_.size()}; }

  /// After a run that has trained.
  void write_state(model<Number>& m) const {
    for (std::size_t i = 0; i < m.state.size(); ++i) {
      double sum = 0;
      for (const auto& state : states_) sum += static_cast<double>(state[i]);
      m.state[i] = static_cast<Number>(sum / static_cast<double>(states_.size()));
    }
  }

 private:
  static constexpr bool same = std::is_same_v<Compute, Number>;

  static void convert(light_span<const Number> from, light_vector<Compute>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if constexpr (same) {
        to[i] = from[i];
      } else {
        to[i] = static_cast<Compute>(static_cast<float>(from[i]));
      }
    }
  }

  bool apart_;  // from the model's own numbers
  light_vector<Compute> values_;
  dynamic_array<light_vector<Compute>> states_;
  dynamic_array<parameter_view<Compute>> views_;
};

}  // namespace ipuflow::train::impl
