// SPDX-License-Identifier: BSL-1.0
// An optimiser's update of what one tile holds of a tensor, as codelets that call the optimiser's own functions. One
// that looks at tensors as a whole has two halves: `prepare` gives sums that add up over parts, `finish` takes them, and
// the gradients if it asks for them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/optimiser_code.hpp>
#include <ipuflow/train/optimisers/state.hpp>
#include <ipuflow/train/precision.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// Looks at tensors as a whole, and says how parts of one are updated apart.
template <class Optimiser>
concept updates_in_halves = requires { typename rule_of<Optimiser>::sums_type; };

/// Its second half looks at gradients once more, which are kept for it.
template <class Optimiser>
concept finishes_with_gradients =
    updates_in_halves<Optimiser> &&
    requires(const rule_of<Optimiser>& rule, std::span<float> parameters, std::span<const float> gradients,
             const state_view<rule_of<Optimiser>>& state, const rule_of<Optimiser>::sums_type& sums) {
      rule.finish(parameters, gradients, state, std::size_t{1}, sums);
    };

/// Halves that a tile can call: it reads parameters and gradients of its part, changes state, and adds sums up.
template <class Rule>
concept halves_of_update =
    requires(const Rule& rule, std::span<const float> read, std::span<float> changed, const state_view<Rule>& state, Rule::sums_type sums) {
      std::tuple_size<typename Rule::sums_type>::value;
      requires std::floating_point<std::remove_cvref_t<decltype(sums[std::size_t{}])>>;
      sums = rule.prepare(read, read, state, std::size_t{1});
    } && (finishes_with_gradients<Rule> || requires(const Rule& rule, std::span<float> changed, const state_view<Rule>& state,
                                                    const Rule::sums_type& sums) { rule.finish(changed, state, std::size_t{1}, sums); });

/// A tile updates its part of a tensor, so an optimiser that looks at whole ones has to say how its update comes in halves.
template <class T>
constexpr contract_fault verify_update_on_tiles() {
  using rule = rule_of<T>;
  if constexpr (updates_in_halves<T>) {
    if (!halves_of_update<rule>) return {.kind = contract_wrong::halves, .where = type_name<rule>()};
  } else if (wants_whole_tensors<rule>) {
    return {.kind = contract_wrong::not_in_parts, .where = type_name<rule>()};
  }
  return {};
}

/// (numbers), each times `factor`
template <class = void>
[[nodiscard]] ipu::codelet times_codelet(float factor) {
  return {ipu::name_from("mean"), ipu::elementwise_code,
          [factor](ipu::inout<float> x) {
            for (float& v : x) v *= factor;
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// Bundles of a worker for two parameters.
template <class Optimiser>
[[nodiscard]] constexpr std::size_t operations_of() {
  using rule = rule_of<Optimiser>;
  if constexpr (requires { rule::operations; })
    return rule::operations;
  else
    return 4 * (3 + rule::states);
}

/// The settings that all updates share. Its optimiser may be changed between them; it outlives the program.
template <class Optimiser>
struct update_rule {
  shared<const Optimiser> optimiser{};
  float loss_factor = 1;  // that gradients have been multiplied with
  rounding how = rounding::nearest;
  std::uint64_t seed = 0;
  std::size_t group = 0;  // of the tensor at hand

  [[nodiscard]] const auto& figures() const { return rules_of<Optimiser>::at(*optimiser, group); }

  /// Gradients without the factor, as floats.
  [[nodiscard]] std::span<const float> slopes(std::span<const float> gradients) const {
    return loss_factor == 1 ? gradients : divided(gradients);
  }
  [[nodiscard]] std::span<const float> slopes(std::span<const half> gradients) const { return divided(gradients); }

  /// `change(span of floats)`, and what it makes rounded as asked for, as the host does; `first`: which number of the model
  /// the first one is.
  template <class Change>
  void rounded(std::span<float> parameters, std::size_t, std::size_t, Change change) const {
    change(parameters);
  }
  template <class Change>
  void rounded(std::span<half> parameters, std::size_t step, std::size_t first, Change change) const {
    thread_local light_vector<float> room;
    room.assign(parameters.begin(), parameters.end());
    change(std::span<float>{room});
    round_to<half>(light_span<float>{room}, how, nn::random_bits(seed, step), first);
    for (std::size_t i = 0; i < room.size(); ++i) parameters[i] = static_cast<half>(room[i]);
  }

  /// Parameters that are only looked at, as floats.
  [[nodiscard]] static std::span<const float> wide(std::span<const float> parameters) { return parameters; }
  [[nodiscard]] static std::span<const float> wide(std::span<const half> parameters) {
    thread_local light_vector<float> room;
    room.assign(parameters.begin(), parameters.end());
    return room;
  }

 private:
  template <class Gradient>
  [[nodiscard]] std::span<const float> divided(std::span<const Gradient> gradients) const {
    thread_local light_vector<float> room;
    room.assign(gradients.begin(), gradients.end());
    for (float& g : room) g /= loss_factor;
    return room;
  }
};

/// All, or the first half, for `n` parameters of a tile. Two gradients of half are floats after one bundle more.
template <class Optimiser, class Gradient = float>
[[nodiscard]] constexpr ipu::vertex_cost update_cost(const ipu::architecture& chip, std::size_t n, std::size_t share = 1) {
  const std::size_t pairs = ipu::divided_up(ipu::divided_up(n, chip.workers), 2);
  constexpr std::size_t operations = operations_of<Optimiser>();
  const std::size_t widening = std::is_same_v<Gradient, half> ? pairs : 0;
  return {30 + pairs * operations / share + widening, chip.supervisor_launch.value, true, n * operations / share};
}

/// As the number of an update: its gradients have overflown, and nothing changes. It takes as long as one that is made.
inline constexpr std::int32_t skipped_update = 0;

/// (parameters, gradients, number of the update, each part of the state); a vertex's field is the number of its first
/// parameter.
template <class Parameter, class Gradient = float, class Optimiser>
[[nodiscard]] ipu::codelet update_codelet(update_rule<Optimiser> rule) {
  return state_layout_of<rule_of<Optimiser>>::with_parts([&]<class... Kept, std::size_t... Count>(state_part<Kept, Count>...) -> ipu::codelet {
    return {ipu::name_from("update"), ipu::elementwise_code,
            [rule = std::move(rule)](std::size_t first, ipu::inout<Parameter> parameters, std::span<const Gradient> gradients,
                                     std::span<const std::int32_t> number, ipu::inout<Kept>... kept) {
              if (number[0] == skipped_update) return;
              const std::span<const float> slopes = rule.slopes(gradients);
              const auto step = static_cast<std::size_t>(number[0]);
              const state_view<rule_of<Optimiser>> state{std::span<Kept>{kept}...};
              rule.rounded(std::span<Parameter>{parameters}, step, first,
                           [&](std::span<float> changed) { rule.figures().update(changed, slopes, state, step); });
            },
            [](const ipu::architecture& chip, ipu::lengths n) { return update_cost<Optimiser, Gradient>(chip, n[0]); }};
  });
}

/// (parameters, gradients, number of the update, sums, each part of the state)
template <class Parameter, class Gradient = float, updates_in_halves Optimiser>
[[nodiscard]] ipu::codelet prepare_codelet(update_rule<Optimiser> rule) {
  return state_layout_of<rule_of<Optimiser>>::with_parts([&]<class... Kept, std::size_t... Count>(state_part<Kept, Count>...) -> ipu::codelet {
    return {ipu::name_from("prepare update"), ipu::elementwise_code,
            [rule = std::move(rule)](std::span<const Parameter> parameters, std::span<const Gradient> gradients,
                                     std::span<const std::int32_t> number, std::span<float> sums, ipu::inout<Kept>... kept) {
              if (number[0] == skipped_update) return algorithms::fill(sums.begin(), sums.end(), 0.0f);
              const auto made = rule.figures().prepare(rule.wide(parameters), rule.slopes(gradients),
                                                        state_view<rule_of<Optimiser>>{std::span<Kept>{kept}...},
                                                        static_cast<std::size_t>(number[0]));
              for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(made[i]);
            },
            [](const ipu::architecture& chip, ipu::lengths n) { return update_cost<Optimiser, Gradient>(chip, n[0], 2); }};
  });
}

/// The second half of a part of a tensor: `gradients` are one span, or none.
template <class Optimiser, class Parameter, class... Gradients>
void finish_part(const update_rule<Optimiser>& rule, std::size_t first, std::span<Parameter> parameters,
                 std::span<const std::int32_t> number, std::span<const float> sums,
                 const state_view<rule_of<Optimiser>>& state, Gradients... gradients) {
  if (number[0] == skipped_update) return;
  const auto step = static_cast<std::size_t>(number[0]);
  typename rule_of<Optimiser>::sums_type all{};
  for (std::size_t i = 0; i < sums.size(); ++i) all[i] = sums[i];
  rule.rounded(parameters, step, first,
               [&](std::span<float> changed) { rule.figures().finish(changed, rule.slopes(gradients)..., state, step, all); });
}

/// (parameters, number of the update, sums over the tensor, gradients if they are asked for, each part of the state)
template <class Parameter, class Gradient = float, updates_in_halves Optimiser>
[[nodiscard]] ipu::codelet finish_codelet(update_rule<Optimiser> rule) {
  using state_of_part = state_view<rule_of<Optimiser>>;
  const auto named = [](auto code, auto cost) {
    return ipu::codelet{ipu::name_from("finish update"), ipu::elementwise_code, std::move(code), cost};
  };
  return state_layout_of<rule_of<Optimiser>>::with_parts([&]<class... Kept, std::size_t... Count>(state_part<Kept, Count>...) {
    if constexpr (finishes_with_gradients<Optimiser>)
      return named(
          [rule = std::move(rule)](std::size_t first, ipu::inout<Parameter> parameters, std::span<const std::int32_t> number,
                                   std::span<const float> sums, std::span<const Gradient> gradients, ipu::inout<Kept>... kept) {
            finish_part(rule, first, std::span<Parameter>{parameters}, number, sums, state_of_part{std::span<Kept>{kept}...},
                        gradients);
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return update_cost<Optimiser, Gradient>(chip, n[0], 2); });
    else
      return named(
          [rule = std::move(rule)](std::size_t first, ipu::inout<Parameter> parameters, std::span<const std::int32_t> number,
                                   std::span<const float> sums, ipu::inout<Kept>... kept) {
            finish_part(rule, first, std::span<Parameter>{parameters}, number, sums, state_of_part{std::span<Kept>{kept}...});
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return update_cost<Optimiser>(chip, n[0], 2); });
  });
}

}  // namespace ipuflow::train::impl
