// SPDX-License-Identifier: BSL-1.0
// Parameter groups: tensors that are updated with other figures than the rest, such as biases without decay. Groups have rules of
// one type, so that state has one form; a tensor belongs to the first group that chooses it.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/train/accumulator_type.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ipuflow::train {

/// The facts that are known of a tensor of trained numbers.
struct tensor_facts {
  std::string_view block{};  ///< as it was written, wherever it is cut
  std::size_t layer = 0;     ///< which of its block
  bool biases = false;    ///< or shifts
  std::size_t elements = 0;
  bounded_vector<std::size_t, 4> extents{};  ///< slowest first; of biases, and of weights that say none, their number
};

/// Says whether a group has a tensor.
using tensor_choice = bool (*)(const tensor_facts&);

constexpr bool biases(const tensor_facts& t) { return t.biases; }
/// Biases, and the scales and shifts of norms.
constexpr bool one_dimensional(const tensor_facts& t) { return t.extents.size() == 1; }
template <fixed_string Block>
constexpr bool of_block(const tensor_facts& t) {
  return t.block == Block.view();
}

/// Parameters with an optimiser of their own.
template <class Rule>
struct parameter_group {
  tensor_choice of = nullptr;                                      ///< chooses its tensors; without it, none
  Rule rule{};                                                     ///< their optimiser
  accumulator_type accumulators = accumulator_type::of_precision;  ///< of the gradients of its tensors
};

/// An optimiser of several groups; made by `in_groups`. Figures may change between updates, choices and types may not.
template <class Rule, std::size_t Groups>
struct rule_groups {
  Rule others{};
  std::array<parameter_group<Rule>, Groups> chosen{};

  /// The first figure that is none to train with.
  [[nodiscard]] constexpr figure_fault verify() const
    requires requires(const Rule& rule) { rule.verify(); }
  {
    for (const parameter_group<Rule>& g : chosen) {
      if (const figure_fault found = g.rule.verify()) return found;
    }
    return others.verify();
  }
};

/// `in_groups(rule, parameter_group{biases, another}, parameter_group{of_block<"a">, a_third})`: the rule for all tensors that
/// no group chooses, then the groups.
template <class Rule, class... Group>
  requires(std::is_same_v<Group, Rule> && ...)
[[nodiscard]] constexpr rule_groups<Rule, sizeof...(Group)> in_groups(const Rule& others, const parameter_group<Group>&... chosen) {
  return {others, {chosen...}};
}
template <class Rule, class... Group>
void in_groups(const Rule&, const parameter_group<Group>&...) = delete;  // ipuflow: groups have rules of one type; give all of them that of the first

namespace impl {

/// The group that a tensor is in, 0 if it is in none.
struct grouped_tensor {
  std::size_t group = 0;
  accumulator_type accumulators = accumulator_type::of_precision;
};

/// The groups of an optimiser outside of its type, which has to last as long; by default there are none.
struct tensor_grouping {
  const void* optimiser = nullptr;
  grouped_tensor (*find)(const void* optimiser, const tensor_facts& tensor) = nullptr;

  [[nodiscard]] constexpr grouped_tensor operator()(const tensor_facts& tensor) const {
    return find == nullptr ? grouped_tensor{} : find(optimiser, tensor);
  }
};

/// The rules of an optimiser, of which the first is for tensors in no group.
template <class Optimiser>
struct rules_of {
  using type = Optimiser;
  static constexpr tensor_grouping groups(const Optimiser&) { return {}; }
  static constexpr auto& at(auto& optimiser, std::size_t) { return optimiser; }
  static constexpr void each(auto& optimiser, auto visit) { visit(optimiser); }
};
template <class Rule, std::size_t Groups>
struct rules_of<rule_groups<Rule, Groups>> {
  using type = Rule;
  static constexpr grouped_tensor group_of(const rule_groups<Rule, Groups>& all, const tensor_facts& tensor) {
    for (std::size_t i = 0; i < Groups; ++i) {
      if (all.chosen[i].of != nullptr && all.chosen[i].of(tensor)) return {i + 1, all.chosen[i].accumulators};
    }
    return {};
  }
  static constexpr tensor_grouping groups(const rule_groups<Rule, Groups>& all) {
    return {&all, [](const void* of, const tensor_facts& tensor) {
              return group_of(*static_cast<const rule_groups<Rule, Groups>*>(of), tensor);
            }};
  }
  static constexpr auto& at(auto& all, std::size_t group) { return group == 0 ? all.others : all.chosen[group - 1].rule; }
  static constexpr void each(auto& all, auto visit) {
    visit(all.others);
    for (auto& g : all.chosen) visit(g.rule);
  }
};

/// The type of the rules.
template <class Optimiser>
using rule_of = typename rules_of<Optimiser>::type;

}  // namespace impl

}  // namespace ipuflow::train
