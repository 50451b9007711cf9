// SPDX-License-Identifier: BSL-1.0
// The gradients of the last run on chips as the optimiser got them. Some are so where they were added up; others are there as
// replicas added them up, each for itself or in parts, and the host does to them what the update did to copies. Weights that layers
// share have the sum of all.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/options.hpp>

#include <cstddef>
#include <span>

namespace ipuflow::train::impl {

template <class = void>
class basic_gradient_reader {
 public:
  basic_gradient_reader(const run::chips_program& program, const light_vector<chips_stage>& stages, const options& asked)
      : program_{program}, stages_{stages}, options_{asked} {}

  /// Into `all`, in the order of the model.
  void read(ipu::engine& e, std::span<float> all) const {
    algorithms::fill(all.begin(), all.end(), 0.0f);
    each_tensor(all, [&](const tensor& t) {
      if (!t.is_copy() || t.is_away()) add_up(e, t);
    });
    flat_set<std::size_t> finished;  // once, although chips of both directions have a tensor
    each_tensor(all, [&](const tensor& t) {
      if (!t.is_copy() && finished.insert(static_cast<std::size_t>(t.numbers.data() - all.data()))) finish(e, t);
    });
    each_tensor(all, [&](const tensor& t) {
      if (t.is_copy()) algorithms::copy(t.numbers.begin(), t.numbers.end(), all.begin() + static_cast<std::ptrdiff_t>(t.first));
    });
  }

 private:
  struct tensor {
    const chips_update& update;
    const run::chips_parameter& of;
    gradient_left left;
    std::size_t first;         // in the model
    std::span<float> numbers;  // of the whole; of a copy, where those of its table are

    bool is_copy() const { return of.tensor.copy_of.has_value(); }
    bool is_away() const { return of.gradient_home.has_value(); }
    bool is_raw() const { return left.is_raw || is_away(); }
  };

  template <class Visit>
  void each_tensor(std::span<float> all, Visit visit) const {
    std::size_t number = 0;
    for (std::size_t part = 0; part < stages_.size(); ++part) {
      const chips_stage& stage = stages_[part];
      for (std::size_t i = 0; i < program_.part(part).parameters.size(); ++i) {
        const run::chips_parameter& of = program_.parameters()[number++];
        const std::size_t first = stage.values_begin + of.tensor.first;
        visit(tensor{stage.update, of, stage.update.gradients[i], first,
                     all.subspan(of.tensor.copy_of.value_or(first), program_.graph()[of.tensor.value].elements())});
      }
    }
  }

  /// Adds up what replicas have of a tensor. In streaming memory each direction has its own sum, on tiles both have that of both.
  void add_up(ipu::engine& e, const tensor& t) const {
    if (!t.is_away()) algorithms::fill(t.numbers.begin(), t.numbers.end(), 0.0f);
    const bool in_parts = t.left.sums == gradient_sums_on::each_its_part;
    const bool apart = in_parts || t.is_away() || t.left.sums == gradient_sums_on::each_its_own;
    light_vector<float> mine(program_.graph()[t.of.tensor.gradient].elements());
    for (std::size_t r = 0; r < (apart ? options_.replicas : 1); ++r) {
      if (t.is_away())
        read_numbers(e, program_.graph(), *t.of.gradient_home, mine, r);
      else
        read_numbers(e, program_.graph(), t.of.tensor.gradient, mine, r);
      const std::size_t first = in_parts ? algorithms::min(r * mine.size(), t.numbers.size()) : 0;
      const std::span<float> to = t.numbers.subspan(first, algorithms::min(mine.size(), t.numbers.size() - first));
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += mine[i];
    }
  }

  /// A sum over replicas fits into the type of the accumulators; the scale of the loss goes, and then what is too long.
  void finish(ipu::engine& e, const tensor& t) const {
    const bool halves = program_.graph()[t.of.tensor.gradient].type() == ipu::element_type::f16;
    const bool scaled_on_tiles = options_.scale.automatic && !t.is_raw();
    const float scale = !options_.scale.automatic ? options_.scale.factor : scaled_on_tiles ? 1 : e.read<float>(t.update.scale->used)[0];
    const float factor = t.update.shortened_by && t.is_raw() ? e.read<float>(*t.update.shortened_by)[0] : 1;
    for (float& x : t.numbers) x = (halves ? static_cast<float>(half{x}) : x) / scale * factor;
    out_of_order(t.of.tensor.order, t.numbers);
  }

  const run::chips_program& program_;
  const light_vector<chips_stage>& stages_;
  const options& options_;
};
using gradient_reader = basic_gradient_reader<>;

}  // namespace ipuflow::train::impl
