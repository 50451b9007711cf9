// SPDX-License-Identifier: BSL-1.0
// A limit to the length of all gradients on chips: each stage adds up the squares of its own, tells the other stages, and
// shortens its gradients by a factor that all of them compute alike.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/plan/lowered.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace ipuflow::train::impl {

struct gradient_limit {
  float max_norm = 1;
  float loss_factor = 1;   ///< that gradients have been multiplied with
  std::size_t seats = 1;   ///< chips of a replica that hold gradients
  light_vector<bool> in_shards{};  ///< of each gradient: each replica holds a part of it
  ipu::plan_options where{};
};

/// A power of two that lengths are measured in, so that a float holds the squares of those that are up to 2^110 times too
/// long, and loses nothing of the rest.
template <class = void>
[[nodiscard]] double length_unit(float max_norm) {
  return math::pow(2.0, math::exponent(static_cast<double>(max_norm)) + 50);
}

/// (gradients, sum of the squares of what they are without the factor of the loss, in units)
template <class = void>
[[nodiscard]] ipu::codelet squares_codelet(float loss_factor, float max_norm) {
  return {ipu::name_from("squares"), ipu::elementwise_code,
          [loss_factor, unit = length_unit(max_norm)](std::span<const float> gradients, std::span<float> sum) {
            double all = 0;
            for (const float g : gradients) {
              const double slope = static_cast<double>(g / loss_factor) / unit;
              all += slope * slope;
            }
            sum[0] = static_cast<float>(all);
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// (sums of squares in units, the factor that makes the gradients as long as they may be)
template <class = void>
[[nodiscard]] ipu::codelet factor_codelet(float max_norm) {
  return {ipu::name_from("factor"), ipu::elementwise_code,
          [most = static_cast<float>(static_cast<double>(max_norm) / length_unit(max_norm))](std::span<const float> sums,
                                                                                             std::span<float> factor) {
            float squares = 0;
            for (const float s : sums) squares += s;
            const float length = math::sqrt(squares);
            factor[0] = length > most ? most / length : 1;
          },
          [](const ipu::architecture&, ipu::lengths n) {
            return ipu::vertex_cost{.bundles = 40 + n[0]};  // a sum each, and a scalar root and quotient [D]
          }};
}

/// (gradients, factor)
template <class = void>
[[nodiscard]] ipu::codelet shorten_codelet() {
  return {ipu::name_from("shorten"), ipu::elementwise_code,
          [](ipu::inout<float> gradients, std::span<const float> factor) {
            for (float& g : gradients) g *= factor[0];
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type::f32, n[0], true);
          }};
}

/// One vertex on each tile of every gradient, in one compute set; `beside`: the other operand of each.
template <class = void>
void add_on_gradients(ipu::graph& g, std::string_view name, const light_vector<ipu::variable_id>& gradients, const ipu::codelet& code,
                      const light_vector<ipu::operand>& beside, ipu::step& program) {
  const ipu::compute_set_id set = g.add_compute_set(name);
  const std::size_t codelet = g.add_codelet(code);
  for (std::size_t i = 0; i < gradients.size(); ++i)
    ipu::add_on_each_tile(g, set, codelet, gradients[i], {ipu::whole(gradients[i]), beside[i]});
  program.then(ipu::execute(set));
}

template <class = void>
ipu::variable_id add_floats(ipu::graph& g, std::string_view name, std::size_t count, const ipu::plan_options& where) {
  return g.add_temporary(ipu::name_from(name), ipu::element_type::f32, count, ipu::on_tile(count, where.first_tile));
}

/// One number on all tiles of a stage.
template <class = void>
ipu::arranged on_all_tiles(ipu::graph& g, ipu::variable_id number, std::string_view name, const ipu::plan_options& where) {
  const std::size_t tiles = ipu::tiles_for(g, where);
  return ipu::arrange(g, number, name, ipu::linear(tiles, tiles, where.first_tile), {{.length = 1, .copies = tiles, .copy_step = 1}});
}

/// Adds to `program` the sum of single floats.
template <class = void>
void add_up(ipu::graph& g, const light_vector<ipu::variable_id>& all, ipu::variable_id sum, const gradient_limit& limit, ipu::step& program) {
  const ipu::variable_id sums = add_floats(g, "sums of tensors", all.size(), limit.where);
  light_vector<ipu::copy_piece> pieces;
  for (std::size_t i = 0; i < all.size(); ++i) pieces.push_back({.from = {all[i]}, .to = {sums, i}, .length = 1});
  program.then(ipu::copy(std::move(pieces)));
  program.then(ipu::reduce(g, ipu::reduce_operation::sum, {1, all.size(), 1}, sums, sum, limit.where));
}

/// A number that a stage tells all seats, and room for theirs. Adds to `program` that it is zero.
template <class = void>
[[nodiscard]] plan::carried tell_zero(ipu::graph& g, std::string_view what, const gradient_limit& limit, ipu::step& program) {
  const plan::carried made{add_floats(g, what, 1, limit.where), add_floats(g, what, limit.seats, limit.where)};
  program.then(ipu::sequence(ipu::fill(g, made.made, 0), ipu::fill(g, made.read, 0)));
  return made;
}

/// Adds to `program` a sum over a stage's gradients, of what `code` makes of the part on a tile, and room for those of all seats.
template <class = void>
[[nodiscard]] plan::carried measure_gradients(ipu::graph& g, std::string_view what, const light_vector<ipu::variable_id>& gradients,
                                              const ipu::codelet& code, const gradient_limit& limit, ipu::step& program) {
  if (gradients.empty()) return tell_zero(g, what, limit, program);
  const plan::carried made{add_floats(g, what, 1, limit.where), add_floats(g, what, limit.seats, limit.where)};
  light_vector<ipu::variable_id> parts;
  light_vector<ipu::operand> beside;
  for (const ipu::variable_id v : gradients) {
    light_vector<ipu::tile_block> blocks;
    for (const auto& [tile, held] : g[v].tiles()) blocks.push_back({tile, 1});
    parts.push_back(g.add_temporary(ipu::name_from("sums of parts"), ipu::element_type::f32, blocks.size(), ipu::mapping_of(blocks)));
    beside.push_back(ipu::whole(parts.back()));
  }
  add_on_gradients(g, what, gradients, code, beside, program);
  light_vector<ipu::variable_id> of_shards;
  light_vector<ipu::variable_id> of_whole;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const ipu::variable_id sum = add_floats(g, "sum of a tensor", 1, limit.where);
    program.then(ipu::reduce(g, ipu::reduce_operation::sum, {1, g[parts[i]].elements(), 1}, parts[i], sum, limit.where));
    (i < limit.in_shards.size() && limit.in_shards[i] ? of_shards : of_whole).push_back(sum);
  }
  if (!of_shards.empty()) {  // which other replicas have parts of
    const ipu::variable_id shared = of_whole.empty() ? made.made : add_floats(g, "sum of shards", 1, limit.where);
    add_up(g, of_shards, shared, limit, program);
    program.then(ipu::all_reduce(shared));
    if (!of_whole.empty()) of_whole.push_back(shared);
  }
  if (!of_whole.empty()) add_up(g, of_whole, made.made, limit, program);
  program.then(ipu::fill(g, made.read, 0));
  return made;
}

/// Adds to `program` what shortens the gradients of a stage, `all` being the sums of all seats. The factor stays where it is
/// returned.
template <class = void>
ipu::variable_id shorten_gradients(ipu::graph& g, const light_vector<ipu::variable_id>& gradients, const gradient_limit& limit,
                       ipu::variable_id all, ipu::step& program) {
  const ipu::variable_id factor =
      g.add_variable(ipu::name_from("factor of gradients"), ipu::element_type::f32, 1, ipu::on_tile(1, limit.where.first_tile));
  program.then(ipu::on_each_tile(g, "factor of gradients", factor_codelet(limit.max_norm), factor,
                                 {ipu::whole(all), ipu::whole(factor)}));
  const ipu::arranged everywhere = on_all_tiles(g, factor, "factor", limit.where);
  program.then(everywhere.bring);
  const light_vector<ipu::operand> beside(gradients.size(), ipu::whole(everywhere.variable));
  add_on_gradients(g, "shorten", gradients, shorten_codelet(), beside, program);
  return factor;
}

}  // namespace ipuflow::train::impl
