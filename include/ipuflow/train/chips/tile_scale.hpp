// SPDX-License-Identifier: BSL-1.0
// A loss scale that follows overflows on chips: each stage divides its gradients by the factor, tells all others whether one of
// them is not finite, and then decides as they do whether the update is made and how the factor goes on.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/train/chips/gradient_norm.hpp>
#include <ipuflow/train/chips/tile_update.hpp>
#include <ipuflow/train/loss_scale.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::train::impl {

/// The scale of a stage as numbers on its first tile; all stages have the same.
struct tile_scale {
  ipu::variable_id factor{};  ///< a float
  ipu::variable_id counts{};  ///< two i32: updates since the factor last changed, and those that were skipped
  ipu::variable_id used{};    ///< a float: the factor of the last run
};

/// `factor`: where a last stage reads it, or nothing.
template <class = void>
[[nodiscard]] tile_scale add_tile_scale(ipu::graph& g, const maybe<ipu::variable_id>& factor, const ipu::plan_options& where) {
  const auto keep = [&](const char* name, ipu::element_type type, std::size_t count) {
    return g.add_variable(ipu::name_from(name), type, count, ipu::on_tile(count, where.first_tile));
  };
  return {factor ? *factor : keep("loss scale", ipu::element_type::f32, 1), keep("loss scale counts", ipu::element_type::i32, 2),
          keep("loss scale used", ipu::element_type::f32, 1)};
}

/// (gradients, factor)
template <class = void>
[[nodiscard]] ipu::codelet unscale_codelet() {
  return {ipu::name_from("unscale"), ipu::elementwise_code,
          [](ipu::inout<float> gradients, std::span<const float> factor) {
            for (float& g : gradients) g /= factor[0];
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// (gradients, 0 unless one of them is not finite)
template <class = void>
[[nodiscard]] ipu::codelet overflow_codelet() {
  return {ipu::name_from("overflow"), ipu::elementwise_code,
          [](std::span<const float> gradients, std::span<float> sum) { sum[0] = overflown(gradients) ? 1.0f : 0.0f; },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// (overflows of all stages, factor, counts, updates so far, number of the update or `skipped_update`, factor before)
template <class = void>
[[nodiscard]] ipu::codelet decide_codelet(const loss_scale& how) {
  return {ipu::name_from("decide"), ipu::elementwise_code,
          [how](std::span<const float> overflows, ipu::inout<float> factor, ipu::inout<std::int32_t> counts,
                ipu::inout<std::int32_t> updates, std::span<std::int32_t> number, std::span<float> used) {
            float all = 0;
            for (const float one : overflows) all += one;
            loss_scaler scale{how, factor[0], static_cast<std::size_t>(counts[0]), static_cast<std::size_t>(counts[1])};
            const bool good = scale.accept(all > 0);
            used[0] = factor[0];
            factor[0] = scale.factor();
            counts[0] = static_cast<std::int32_t>(scale.good());
            counts[1] = static_cast<std::int32_t>(scale.skipped());
            number[0] = good ? ++updates[0] : skipped_update;
          },
          [](const ipu::architecture&, ipu::lengths n) {
            return ipu::vertex_cost{.bundles = 40 + n[0]};  // a sum each, and the rule's comparisons and counters [D]
          }};
}

/// (state, what it was before the run, number of the update)
template <class = void>
[[nodiscard]] ipu::codelet take_back_codelet() {
  return {ipu::name_from("take back"), ipu::elementwise_code,
          [](ipu::inout<float> state, std::span<const float> before, std::span<const std::int32_t> number) {
            if (number[0] == skipped_update) algorithms::copy(before.begin(), before.end(), state.begin());
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// Adds to `program` one vertex on each tile of the first variable, which has all that is there of each.
template <class = void>
void add_on_each(ipu::graph& g, const char* name, const light_vector<ipu::variable_id>& variables, const ipu::codelet& code,
                 ipu::step& program) {
  const ipu::compute_set_id set = g.add_compute_set(name);
  const std::size_t codelet = g.add_codelet(code);
  light_vector<ipu::operand> operands;
  for (const ipu::variable_id v : variables) operands.push_back(ipu::whole(v));
  ipu::add_on_each_tile(g, set, codelet, variables.front(), operands);
  program.then(ipu::execute(set));
}

/// A run whose update is skipped leaves the running state of layers as it was: `clear` keeps it, `program` brings it back.
template <class = void>
void take_back_states(ipu::graph& g, const light_vector<plan::kept_state>& states, ipu::variable_id number, ipu::step& clear,
                      ipu::step& program) {
  for (const plan::kept_state& s : states) {
    const ipu::variable state = g[s.value];  // variables move when one is added
    const ipu::variable_id before = g.add_variable(ipu::name_from("state before"), state.type(), state.elements(), state.map());
    clear.then(ipu::copy_all(g, s.value, before));
    add_on_each(g, "take back", {s.value, before, number}, take_back_codelet(), program);
  }
}

/// Adds to `program` what divides the gradients of a stage by the factor.
template <class = void>
void unscale_gradients(ipu::graph& g, const light_vector<ipu::variable_id>& gradients, const tile_scale& scale,
                       const ipu::plan_options& where, ipu::step& program) {
  const ipu::arranged all = on_all_tiles(g, scale.factor, "loss scale", where);
  program.then(all.bring);
  const light_vector<ipu::operand> beside(gradients.size(), ipu::whole(all.variable));
  add_on_gradients(g, "unscale", gradients, unscale_codelet(), beside, program);
}

}  // namespace ipuflow::train::impl
