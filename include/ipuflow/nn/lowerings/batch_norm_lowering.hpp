// SPDX-License-Identifier: BSL-1.0
// Batch norm on tiles: every plane of a sample is a row. Sums over rows are added up over samples and given to all
// tiles: first for the mean of each channel, then for its variance; then each tile normalises its rows. As on the host
// the backward passes find both again.
#pragma once

#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

namespace ipuflow::nn {

namespace impl {

/// For each channel the sum of its numbers, and of squares of what is off their mean; of running statistics the mean
/// and the variance, as of one place.
struct tile_channel_sums {
  ipu::variable_id numbers{};
  ipu::variable_id squares{};
  float places = 1;
};

/// Makes the passes of one batch norm of [sample, channel, place].
template <class E>
class batch_norm_lowering {
  using values = std::span<const E>;
  using sums = std::span<const float>;

 public:
  batch_norm_lowering(const lowering& l, std::size_t channels, std::size_t plane)
      : l_{l}, share_{share_rows(l, l.samples * channels)}, at_{channels, plane} {}

  ipu::step forward(ipu::variable_id x, ipu::variable_id y) {
    const tile_channel_sums all = statistics(x);
    const ipu::arranged scales = given(l_.numbers.weights), shifts = given(l_.numbers.biases);
    const auto run = [at = at_, n = all.places](std::size_t first_row, values in, values scale, values shift, sums numbers,
                                                sums squares, std::span<E> out) {
      at.each_row(first_row, in.size(), [&](std::size_t c, std::size_t, std::size_t begin, std::size_t end) {
        const moments<float> m = moments_in(numbers, squares, n, c);
        for (std::size_t i = begin; i < end; ++i)
          out[i] = E{float{scale[c]} * m.normal(float{in[i]}) + float{shift[c]}};
      });
    };
    add(on_planes("batch norm", 3, run,
                  {read_rows(x), everywhere(scales.variable), everywhere(shifts.variable), everywhere(all.numbers),
                   everywhere(all.squares), write_rows(y)}));
    if (l_.training && l_.updates_state) add(keep(all));
    return std::move(program_);
  }

  /// With n = (x - mean) / deviation: scale / deviation * (d_y - mean(d_y) - n * mean(d_y * n)); running statistics do
  /// not depend on the input, so means are left out there.
  ipu::step backward_inputs(ipu::variable_id x, ipu::variable_id d_y, ipu::variable_id d_x) {
    const tile_channel_sums all = statistics(x);
    const ipu::arranged scales = given(l_.numbers.weights);
    const auto [along, slopes] = slope_sums(all, x, d_y);
    const float share = l_.training ? 1 / all.places : 0.0f;
    const auto run = [at = at_, n = all.places, share](std::size_t first_row, values in, values scale, sums numbers,
                                                       sums squares, sums product, sums slope, values d_out,
                                                       std::span<E> out) {
      at.each_row(first_row, in.size(), [&](std::size_t c, std::size_t, std::size_t begin, std::size_t end) {
        const moments<float> m = moments_in(numbers, squares, n, c);
        for (std::size_t i = begin; i < end; ++i) {
          const float off = share * (slope[c] + m.normal(float{in[i]}) * product[c]);
          out[i] = E{float{scale[c]} * m.inverse * (float{d_out[i]} - off)};
        }
      });
    };
    add(on_planes("batch norm gradient", 4, run,
                  {read_rows(x), everywhere(scales.variable), everywhere(all.numbers), everywhere(all.squares),
                   everywhere(along), everywhere(slopes), read_rows(d_y), write_rows(d_x)}));
    return std::move(program_);
  }

  ipu::step backward_weights(ipu::variable_id x, ipu::variable_id d_y) {
    const auto [along, slopes] = slope_sums(statistics(x), x, d_y);
    add(l_.add_to(l_.numbers.d_weights, along));
    add(l_.add_to(l_.numbers.d_biases, slopes));
    return std::move(program_);
  }

 private:
  /// The channels that the rows of a tile belong to.
  struct places {
    std::size_t channels = 1;
    std::size_t plane = 1;

    /// Calls `visit(channel, row, first element, one past its last)` for each row of a tile.
    template <class Visit>
    void each_row(std::size_t first_row, std::size_t elements, Visit visit) const {
      for (std::size_t r = 0; r * plane < elements; ++r)
        visit((first_row + r) % channels, r, r * plane, (r + 1) * plane);
    }
  };

  /// Of a channel, from its sums.
  static moments<float> moments_in(sums numbers, sums squares, float count, std::size_t channel) {
    return {numbers[channel] / count, squares[channel] / count};
  }

  void add(ipu::step more) { program_.then(std::move(more)); }

  /// Trained numbers in the type that is computed with.
  ipu::arranged given(ipu::variable_id trained) {
    ipu::arranged made = l_.as(trained, ipu::element_type_of<E>());
    add(std::move(made.bring));
    return made;
  }

  template <class Run>
  ipu::step on_planes(std::string_view name, std::size_t passes, Run run, std::initializer_list<row_operand> operands) {
    const auto cost = [passes](const ipu::architecture& chip, ipu::lengths n) {
      return row_cost(chip, ipu::element_type_of<E>(), n[0], passes);
    };
    return on_rows(l_, name, share_.rows, {ipu::name_from(name), ipu::elementwise_code, run, cost}, operands);
  }

  ipu::variable_id of_rows(std::string_view what) { return l_.temporary(what, ipu::element_type::f32, share_.rows); }
  /// Sums of rows to sums of channels.
  ipu::variable_id over_samples(ipu::variable_id rows) {
    const ipu::variable_id made = l_.temporary("channel sums", ipu::element_type::f32, at_.channels);
    add(ipu::reduce(l_.g, ipu::reduce_operation::sum, {1, l_.samples, at_.channels}, rows, made, l_.where));
    return made;
  }

  tile_channel_sums statistics(ipu::variable_id x) {
    if (!l_.training) return {part_of_state(0), part_of_state(at_.channels), 1};
    const float count = static_cast<float>(l_.samples * at_.plane);
    const ipu::variable_id row_sums = of_rows("sums"), row_squares = of_rows("squares");
    add(on_planes("batch norm sums", 1,
                  [plane = at_.plane](values in, std::span<float> out) {
                    for (float& sum : out) sum = 0;
                    for (std::size_t i = 0; i < in.size(); ++i) out[i / plane] += float{in[i]};
                  },
                  {read_rows(x), write_rows(row_sums)}));
    const ipu::variable_id numbers = over_samples(row_sums);
    add(on_planes("batch norm squares", 1,
                  [at = at_, count](std::size_t first_row, values in, sums total, std::span<float> out) {
                    at.each_row(first_row, in.size(),
                                [&](std::size_t c, std::size_t r, std::size_t begin, std::size_t end) {
                                  const float mean = total[c] / count;
                                  out[r] = 0;
                                  for (std::size_t i = begin; i < end; ++i)
                                    out[r] += (float{in[i]} - mean) * (float{in[i]} - mean);
                                });
                  },
                  {read_rows(x), everywhere(numbers), write_rows(row_squares)}));
    return {numbers, over_samples(row_squares), count};
  }
  ipu::variable_id part_of_state(std::size_t first) {
    const ipu::variable_id made = l_.temporary("running", ipu::element_type::f32, at_.channels);
    add(ipu::copy({{.from = {l_.numbers.state, first}, .to = {made}, .length = at_.channels}}));
    return made;
  }

  /// Of each channel: the gradient times n, and the gradient.
  std::pair<ipu::variable_id, ipu::variable_id> slope_sums(const tile_channel_sums& all, ipu::variable_id x,
                                                           ipu::variable_id d_y) {
    const ipu::variable_id products = of_rows("products"), slopes = of_rows("slopes");
    const auto run = [at = at_, n = all.places](std::size_t first_row, values in, values d_out, sums numbers, sums squares,
                                                std::span<float> product, std::span<float> slope) {
      at.each_row(first_row, in.size(), [&](std::size_t c, std::size_t r, std::size_t begin, std::size_t end) {
        const moments<float> m = moments_in(numbers, squares, n, c);
        product[r] = slope[r] = 0;
        for (std::size_t i = begin; i < end; ++i) {
          product[r] += float{d_out[i]} * m.normal(float{in[i]});
          slope[r] += float{d_out[i]};
        }
      });
    };
    add(on_planes("batch norm slopes", 3, run,
                  {read_rows(x), read_rows(d_y), everywhere(all.numbers), everywhere(all.squares), write_rows(products),
                   write_rows(slopes)}));
    const ipu::variable_id along = over_samples(products);
    return {along, over_samples(slopes)};
  }

  /// A part of each new batch goes into the running statistics, the variance without its bias.
  ipu::step keep(const tile_channel_sums& all) {
    const auto run = [n = all.places](sums numbers, sums squares, ipu::inout<float> state) {
      const auto mix = static_cast<float>(norm_momentum);
      for (std::size_t c = 0; c < numbers.size(); ++c) {
        state[2 * c] += mix * (numbers[c] / n - state[2 * c]);
        state[2 * c + 1] += mix * (squares[c] / (n > 1 ? n - 1 : 1) - state[2 * c + 1]);
      }
    };
    const auto cost = [](const ipu::architecture& chip, ipu::lengths n) {
      return row_cost(chip, ipu::element_type::f32, n[2], 2);
    };
    return on_rows(l_, "running statistics", at_.channels,
                   {ipu::name_from("running statistics"), ipu::elementwise_code, run, cost},
                   {read_rows(all.numbers), read_rows(all.squares), change_rows(l_.numbers.state, 2)});
  }

  const lowering& l_;
  row_share share_;
  places at_;
  ipu::step program_{};
};

}  // namespace impl

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_forward(batch_norm_t,
                        const forward_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  return impl::batch_norm_lowering<E>{l, C, shape<Extent...>::elements}.forward(l.in[0], l.out[0]);
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_inputs(batch_norm_t,
                                const inputs_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  return impl::batch_norm_lowering<E>{l, C, shape<Extent...>::elements}.backward_inputs(l.in[0], l.d_out[0], l.d_in[0]);
}

template <class E, std::size_t C, std::size_t... Extent>
ipu::step lower_backward_weights(batch_norm_t,
                                 const weights_lowering<in<tensor<E, C, Extent...>>, out<tensor<E, C, Extent...>>>& l) {
  return impl::batch_norm_lowering<E>{l, C, shape<Extent...>::elements}.backward_weights(l.in[0], l.d_out[0]);
}

}  // namespace ipuflow::nn
