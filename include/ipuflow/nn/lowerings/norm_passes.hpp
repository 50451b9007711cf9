// SPDX-License-Identifier: BSL-1.0
// The passes of every norm on tiles, where the values stand: mean and variance of each row, one over the deviation, then
// elementwise passes that whiten and scale. Rows are segments of samples, or channels of all samples. The backward passes
// are given the mean and one over the deviation of each row that the forward pass has noted, as the vendor's are; by themselves they
// find them again. Source of the order of steps: poplibs, poplin/Norms.cpp.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/ops/row_layout.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/lowerings/norm_codelets.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// Passes over elements, and rounds in which numbers of rows go to and fro, of the three passes below.
inline constexpr ipu::row_effort forward_effort{.passes = 4, .reductions = 2, .rounds = 1, .each = 2, .moved = 2};
inline constexpr ipu::row_effort inputs_effort{.passes = 7, .reductions = 4, .rounds = 2, .each = 2, .moved = 3};
inline constexpr ipu::row_effort weights_effort{.passes = 2, .reductions = 2, .rounds = 1, .each = 2, .moved = 2};

/// The effort of a backward pass that is given what the forward pass has noted.
[[nodiscard]] constexpr ipu::row_effort with_notes(ipu::row_effort backward, const layer_numbers& numbers) {
  if (numbers.has_notes) backward.reductions -= 2, --backward.rounds;
  return backward;
}

/// Makes one pass of a norm of values like `x`; rows of `scales` have a scale and a shift each.
template <class = void>
class basic_norm_passes {
 public:
  basic_norm_passes(const lowering& l, const ipu::row_order& rows, const ipu::row_order& scales, ipu::variable_id x, const ipu::row_effort& effort)
      : l_{l}, at_{ipu::place_row_work(l.g, x, rows, effort, l.where)}, count_{static_cast<float>(l.g[x].elements()) / static_cast<float>(rows.rows)} {
    if (!(scales == rows)) by_scale_.emplace(l.g, at_.map, l.g[x].type(), scales, l.where);
    x_ = brought(x);
  }

  /// The mean and the variance of each row of `x`.
  void find_statistics() { moments_ = at_.work.reduce(program_, ipu::row_reduction::moments, x_, 1 / count_); }
  /// In a backward pass: those that the forward pass has noted, if it has.
  void recall_statistics() {
    if (!l_.numbers.has_notes) return find_statistics();
    noted_ = ipu::row_numbers{l_.numbers.notes, 2, true};
  }
  /// The same from elsewhere: a mean and a variance for each row, in order.
  void give_statistics(ipu::variable_id pairs) { moments_ = {pairs, 2, true}; }
  [[nodiscard]] ipu::variable_id statistics_in_order() { return at_.work.in_order(program_, moments_, "statistics").variable; }
  [[nodiscard]] float count() const { return count_; }

  void forward(ipu::variable_id y) {
    const ipu::variable_id made = ipu::room_in(l_.g, "norm", y, at_.map);
    const ipu::row_numbers n = inverse_deviations();
    if (l_.numbers.has_notes) at_.work.keep(program_, n, l_.numbers.notes);
    at_.work.pass(program_, ipu::binary::sub, x_, n, 0, made);
    at_.work.pass(program_, ipu::binary::mul, made, n, 1, made);
    by_scale().pass(program_, ipu::binary::mul, made, scales_of(l_.numbers.weights), 0, made);
    by_scale().pass(program_, ipu::binary::add, made, scales_of(l_.numbers.biases), 0, made);
    taken_back(made, y);
  }

  /// With g = scale * d_y: (g - mean(g) - n * mean(g * n)) / deviation. Statistics that do not `depend` on the input leave the
  /// means out.
  void backward_inputs(ipu::variable_id d_y, ipu::variable_id d_x, bool depend) {
    const ipu::variable_id slope = brought(d_y), made = ipu::room_in(l_.g, "norm gradient", d_x, at_.map);
    const ipu::row_numbers given = inverse_deviations(), of_channels = scales_of(l_.numbers.weights);
    if (!depend) {
      by_scale().pass(program_, ipu::binary::mul, slope, of_channels, 0, made);
      at_.work.pass(program_, ipu::binary::mul, made, given, 1, made);
      return taken_back(made, d_x);
    }
    ipu::copy bring;
    const ipu::row_numbers n = at_.work.to_tiles(bring, given), scales = by_scale().to_tiles(bring, of_channels);
    add(std::move(bring));
    const float factor = -1 / count_;
    const ipu::row_numbers partial = at_.work.room("row partials", 2);
    add(on_rows_and_scales("norm slopes", scales, [&](auto e, auto scale) { return norm_slopes_codelet<decltype(e), decltype(scale)>(tables(), at_.work.partial_scale(factor)); },
                           {ipu::whole(x_), ipu::whole(slope), ipu::whole(n.variable), ipu::whole(scales.variable), ipu::whole(partial.variable)}));
    const ipu::row_numbers means = at_.work.to_tiles(program_, at_.work.totals(program_, ipu::row_reduction::sum, partial, factor));
    add(on_rows_and_scales("norm gradient", scales, [&](auto e, auto scale) { return norm_gradient_codelet<decltype(e), decltype(scale)>(tables()); },
                           {ipu::whole(x_), ipu::whole(slope), ipu::whole(n.variable), ipu::whole(means.variable), ipu::whole(scales.variable), ipu::whole(made)}));
    taken_back(made, d_x);
  }

  void backward_weights(ipu::variable_id d_y) {
    const ipu::variable_id slope = brought(d_y);
    const ipu::row_numbers n = at_.work.to_tiles(program_, inverse_deviations());
    const ipu::row_numbers partial = by_scale().room("row partials", 2);
    add(at_.work.on_rows("norm of weights", ipu::with_real(type(), [&](auto e) { return norm_weights_codelet<decltype(e)>(tables()); }),
                         {ipu::whole(x_), ipu::whole(slope), ipu::whole(n.variable), ipu::whole(partial.variable)}));
    const ipu::row_numbers sums = by_scale().totals(program_, ipu::row_reduction::sum, partial, 1);
    const ipu::variable_id scales = l_.more_of(l_.numbers.weights), shifts = l_.more_of(l_.numbers.biases);
    ipu::copy deliver;
    by_scale().deliver(deliver, sums, 0, scales);
    by_scale().deliver(deliver, sums, 1, shifts);
    add(std::move(deliver));
    add(l_.add_to(l_.numbers.d_weights, scales));
    add(l_.add_to(l_.numbers.d_biases, shifts));
  }

  void add(ipu::step more) { program_.then(std::move(more)); }
  void add(ipu::copy more) {
    if (!more.pieces.empty()) program_.then(std::move(more));
  }
  [[nodiscard]] ipu::step program() { return std::move(program_); }

 private:
  const ipu::row_work& by_scale() const { return by_scale_ ? *by_scale_ : at_.work; }

  ipu::variable_id brought(ipu::variable_id v) {
    ipu::arranged in = ipu::bring_to(l_.g, v, at_.map);
    add(std::move(in.bring));
    return in.variable;
  }
  void taken_back(ipu::variable_id made, ipu::variable_id to) {
    if (made.index != to.index) add(ipu::copy_all(l_.g, made, to));
  }
  ipu::element_type type() const { return l_.g[x_].type(); }
  norm_tables tables() const { return {at_.work.shared_tiles(), at_.work.order(), by_scale().shared_tiles(), by_scale().order()}; }
  /// Scales are of the type of the values, or floats.
  template <class Make>
  ipu::step on_rows_and_scales(std::string_view name, const ipu::row_numbers& scales, Make make, const light_vector<ipu::operand>& operands) {
    return ipu::with_real(type(), [&](auto e) {
      if (l_.g[scales.variable].type() == type()) return at_.work.on_rows(name, make(e, e), operands);
      return at_.work.on_rows(name, make(e, float{}), operands);
    });
  }

  ipu::row_numbers inverse_deviations() {
    if (noted_) return *noted_;
    const ipu::variable_id pairs = moments_.variable;
    const ipu::variable_id made = l_.g.add_temporary(ipu::name_from("inverse deviation"), ipu::element_type::f32, l_.g[pairs].elements(), l_.g[pairs].map());
    add(ipu::on_each_tile(l_.g, "inverse deviation", inverse_deviation_codelet(), made, {ipu::whole(pairs), ipu::whole(made)}));
    return {made, 2, moments_.once};
  }
  /// Trained numbers as numbers of the rows of scales: columns in the type of the values, few numbers as floats, which are whole words.
  ipu::row_numbers scales_of(ipu::variable_id trained) {
    ipu::arranged given = l_.as(trained, by_scale().order().by_columns() ? type() : ipu::element_type::f32);
    add(std::move(given.bring));
    return {given.variable, 1, true};
  }

  const lowering& l_;
  ipu::row_place at_;
  maybe<ipu::row_work> by_scale_{};
  float count_;
  ipu::step program_{};
  ipu::variable_id x_{};
  ipu::row_numbers moments_{};
  maybe<ipu::row_numbers> noted_{};
};
using norm_passes = basic_norm_passes<>;

}  // namespace impl

}  // namespace ipuflow::nn
