// SPDX-License-Identifier: BSL-1.0
// Normalisation by constants on tiles: each tile finds the channel of its first element and goes on from there. Bytes are
// widened as they are read.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace ipuflow::nn {

namespace impl {

/// (number of the first element, from, to)
template <class From, class To>
ipu::codelet normalise_codelet(const light_vector<channel_rule>& rules, std::size_t plane) {
  return {ipu::name_from("normalise"), ipu::elementwise_code,
          [rules, plane](std::size_t first, std::span<const From> from, std::span<To> to) {
            for (std::size_t i = 0; i < from.size();) {
              const channel_rule& by = rules[(first + i) / plane % rules.size()];
              const std::size_t end = algorithms::min(from.size(), i + plane - (first + i) % plane);
              for (; i < end; ++i) to[i] = To{by.scale * static_cast<float>(from[i]) + by.shift};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::triad_cost(chip, ipu::element_type_of<To>(), n[0]);
            if (std::is_same_v<From, std::uint8_t>)
              cost.bundles += ipu::widening_loop(ipu::element_type::u8, ipu::element_type_of<To>())(ipu::divided_up(n[0], chip.workers));
            return cost;
          }};
}

template <class From, class To, std::size_t C, std::size_t... Extent, channels Mean, channels Deviation>
ipu::step normalise_on_tiles(const lowering& l, normalise_t<Mean, Deviation>, tensor<To, C, Extent...>, bool shifts,
                             ipu::variable_id from, ipu::variable_id to) {
  light_vector<channel_rule> rules;
  for (std::size_t c = 0; c < C; ++c) {
    rules.push_back(rule_of<From>(Mean, Deviation, c));
    if (!shifts) rules.back().shift = 0;
  }
  const ipu::arranged in = ipu::arrange_like(l.g, from, to);
  return ipu::sequence(in.bring, on_spread(l, "normalise", normalise_codelet<From, To>(rules, shape<Extent...>::elements), to,
                                           {ipu::whole(in.variable), ipu::whole(to)}));
}

}  // namespace impl

template <channels Mean, channels Deviation, class From, class Made, std::size_t... Extent>
ipu::step lower_forward(normalise_t<Mean, Deviation> layer,
                        const forward_lowering<in<tensor<From, Extent...>>, out<tensor<Made, Extent...>>>& l) {
  return impl::normalise_on_tiles<From>(l, layer, tensor<Made, Extent...>{}, true, l.in[0], l.out[0]);
}

template <channels Mean, channels Deviation, real_element E, std::size_t... Extent>
ipu::step lower_backward_inputs(normalise_t<Mean, Deviation> layer,
                                const inputs_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  return impl::normalise_on_tiles<E>(l, layer, tensor<E, Extent...>{}, false, l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
