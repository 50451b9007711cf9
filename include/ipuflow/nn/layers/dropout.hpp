// SPDX-License-Identifier: BSL-1.0
// Drops each element, or each sample whole, with a probability while training, and scales the others so that the mean stays.
// Which ones follows from seed, micro-batch, sample and element alone: backward and recomputation see the same mask, and so
// does every machine. The mixing of 32 bits is `lowbias32` (Wellons, "Prospecting for Hash Functions", 2018).
#pragma once

#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::nn {

template <double Rate>
struct dropout_t {};

template <double Rate = 0.5>
  requires(Rate >= 0 && Rate < 1)
inline constexpr dropout_t<Rate> dropout{};

/// Drops samples whole: before a residual sum it leaves the block out for them (Huang et al. 2016), as torchvision's
/// StochasticDepth does by row.
template <double Rate>
struct stochastic_depth_t {};

template <double Rate>
  requires(Rate >= 0 && Rate < 1)
inline constexpr stochastic_depth_t<Rate> stochastic_depth{};

namespace impl {

/// A rate, and if it is one of whole samples.
struct drop_rate {
  double rate = 0;
  bool whole_samples = false;
};

template <double Rate>
constexpr drop_rate rate_of(dropout_t<Rate>) {
  return {Rate, false};
}
template <double Rate>
constexpr drop_rate rate_of(stochastic_depth_t<Rate>) {
  return {Rate, true};
}

template <class Layer>
concept drops = requires(Layer layer) { rate_of(layer); };

}  // namespace impl

template <impl::drops Layer, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(Layer, tensor<E, Extent...>) {
  return {};
}

template <impl::drops Layer, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(Layer, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements, .input_work = elements, .inputs_need_input = false};
}

namespace impl {

/// Random bits below this drop an element; the others are multiplied by this.
constexpr std::uint32_t drop_limit(drop_rate r) { return static_cast<std::uint32_t>(r.rate * 4294967296.0); }
constexpr double kept_factor(drop_rate r) { return 1 / (1 - r.rate); }

/// The stream of a sample of a micro-batch: `random_bits(seed, micro_batch)` is that of the micro-batch.
constexpr std::uint32_t sample_key(std::uint64_t stream, std::size_t sample) {
  return static_cast<std::uint32_t>(random_bits(stream, sample));
}

/// The key of what begins at an element. `V`: one key, or a vector of them.
template <class V>
[[gnu::always_inline]] constexpr V element_key(V key, std::size_t element) {
  return key + static_cast<std::uint32_t>(element) * 0x9e3779b9u;
}

/// 32 random bits of an element.
template <class V>
[[gnu::always_inline]] constexpr V element_bits(V key, std::size_t element) {
  V bits = element_key(key, element);
  bits = (bits ^ (bits >> 16)) * 0x7feb352du;
  bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
  return bits ^ (bits >> 16);
}

/// The random numbers of one group of rows: one stream a lane, from the first element of the row in its sample on.
struct lane_streams {
  lanes<std::uint32_t> keys{};

  lane_streams(const context& c, std::size_t group, std::size_t rows = 1, std::size_t row_elements = 0) {
    const std::uint64_t stream = random_bits(c.seed, c.micro_batch);
    for (std::size_t l = 0; l < lane_count; ++l) {
      const std::size_t row = (c.first_group * rows + group) * lane_count + l;
      keys.set(l, element_key(sample_key(stream, row / rows), row % rows * row_elements));
    }
  }

  [[gnu::always_inline]] lanes<std::uint32_t> at(std::size_t element) const { return {element_bits(keys.v, element)}; }
};

/// The factor of an element in each lane.
template <drop_rate Rate, class T>
lanes<T> drop_factors(const lanes<std::uint32_t>& bits) {
  lanes<T> factor{};
  for (std::size_t l = 0; l < lane_count; ++l)
    factor.set(l, bits[l] >= drop_limit(Rate) ? number<T>(kept_factor(Rate)) : number<T>(0));
  return factor;
}

}  // namespace impl

/// Drops some numbers: every element of `from` has the same factor in every pass.
template <impl::drops Layer, class T, class Shape>
void drop(Layer, const context& c, batch<const T, Shape> all_from, batch<T, Shape> all_to) {
  constexpr impl::drop_rate rate = impl::rate_of(Layer{});
  const auto from = rows_of(all_from);
  const auto to = rows_of(all_to);
  constexpr std::size_t elements = decltype(from)::elements;
  for (std::size_t g = 0; g < from.groups; ++g) {
    const impl::lane_streams random{c, g, Shape::elements / elements, rate.whole_samples ? 0 : elements};
    lanes<T> factor = impl::drop_factors<rate, T>(random.at(0));
    for (std::size_t i = 0; i < elements; ++i) {
      if constexpr (!rate.whole_samples) factor = impl::drop_factors<rate, T>(random.at(i));
      const lanes<T> kept = where_equal(factor, lanes<T>{}, lanes<T>{}, from.group(g)[i] * factor);  // infinity too is dropped
      to.group(g)[i] = c.training ? kept : from.group(g)[i];
    }
  }
}

template <impl::drops Layer, class T, class Shape>
void forward(Layer layer, forward_pass<T, in<Shape>, out<Shape>> pass) {
  drop(layer, pass.context, get<0>(pass.in), get<0>(pass.out));
}

template <impl::drops Layer, class T, class Shape>
void backward_inputs(Layer layer, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  drop(layer, pass.context, get<0>(pass.d_out), get<0>(pass.d_in));
}

}  // namespace ipuflow::nn
