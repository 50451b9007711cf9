// SPDX-License-Identifier: BSL-1.0
// Drops each element with a probability while training, and scales the others so that the mean stays. Which ones
// follows from seed, micro-batch, sample and element alone: backward and recomputation see the same mask, and so does
// every machine. The mixing of 32 bits is `lowbias32` (Wellons, "Prospecting for Hash Functions", 2018).
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

template <double Rate, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr tensor<E, Extent...> output_of(dropout_t<Rate>, tensor<E, Extent...>) {
  return {};
}

template <double Rate, real_element E, std::size_t... Extent>
[[nodiscard]] constexpr layer_facts facts(dropout_t<Rate>, tensor<E, Extent...>) {
  constexpr std::size_t elements = shape<Extent...>::elements;
  return {.forward_work = elements, .input_work = elements, .inputs_need_input = false};
}

namespace impl {

/// Random bits below this drop an element; the others are multiplied by this.
template <double Rate>
inline constexpr auto drop_limit = static_cast<std::uint32_t>(Rate * 4294967296.0);
template <double Rate>
inline constexpr double kept_factor = 1 / (1 - Rate);

/// The stream of a sample of a micro-batch: `random_bits(seed, micro_batch)` is that of the micro-batch.
constexpr std::uint32_t sample_key(std::uint64_t stream, std::size_t sample) {
  return static_cast<std::uint32_t>(random_bits(stream, sample));
}

/// 32 random bits of an element. `V`: one key, or a vector of them.
template <class V>
[[gnu::always_inline]] constexpr V element_bits(V key, std::size_t element) {
  V bits = key + static_cast<std::uint32_t>(element) * 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0x7feb352du;
  bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
  return bits ^ (bits >> 16);
}

/// The random numbers of one group of samples: one stream a lane.
struct lane_streams {
  lanes<std::uint32_t> keys{};

  lane_streams(const context& c, std::size_t group) {
    const std::uint64_t stream = random_bits(c.seed, c.micro_batch);
    for (std::size_t l = 0; l < lane_count; ++l) {
      keys.set(l, sample_key(stream, (c.first_group + group) * lane_count + l));
    }
  }

  [[gnu::always_inline]] lanes<std::uint32_t> at(std::size_t element) const { return {element_bits(keys.v, element)}; }
};

}  // namespace impl

/// Drops some numbers: every element of `from` has the same factor in every pass.
template <double Rate, class T, class Shape>
void drop(const context& c, batch<const T, Shape> from, batch<T, Shape> to) {
  for (std::size_t g = 0; g < from.groups; ++g) {
    const impl::lane_streams random{c, g};
    for (std::size_t i = 0; i < Shape::elements; ++i) {
      const lanes<std::uint32_t> bits = random.at(i);
      lanes<T> factor{};
      for (std::size_t l = 0; l < lane_count; ++l) {
        factor.set(l, bits[l] >= impl::drop_limit<Rate> ? number<T>(impl::kept_factor<Rate>) : number<T>(0));
      }
      to.group(g)[i] = c.training ? from.group(g)[i] * factor : from.group(g)[i];
    }
  }
}

template <double Rate, class T, class Shape>
void forward(dropout_t<Rate>, forward_pass<T, in<Shape>, out<Shape>> pass) {
  drop<Rate>(pass.context, std::get<0>(pass.in), std::get<0>(pass.out));
}

template <double Rate, class T, class Shape>
void backward_inputs(dropout_t<Rate>, inputs_pass<T, in<Shape>, out<Shape>> pass) {
  drop<Rate>(pass.context, std::get<0>(pass.d_out), std::get<0>(pass.d_in));
}

}  // namespace ipuflow::nn
