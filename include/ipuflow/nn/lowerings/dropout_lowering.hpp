// SPDX-License-Identifier: BSL-1.0
// Dropout on tiles: every tile works the mask of its elements out from the number of the micro-batch, the very same
// mask as on the host, so nothing is kept of it and each pass can be run anywhere and again. Counted is what a chip would do: its
// tiles' generators make masks, of a seed, too.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ipuflow::nn {

/// It asks for the number of the micro-batch while training.
template <impl::drops Layer>
constexpr bool counts_micro_batches(Layer) {
  return true;
}

namespace impl {

/// A rate as what codelets need of it.
struct drop_rule {
  std::uint64_t seed = 0;
  std::size_t elements = 1;  // of a sample
  std::uint32_t limit = 0;   // bits below it drop
  float kept = 1;            // factor of the others
  bool whole_samples = false;
};

template <class E>
ipu::codelet drop_codelet(const drop_rule& rule, const ipu::matrix_order& order) {
  return {ipu::name_from("dropout"), ipu::elementwise_code,
          [rule, order](std::size_t first, std::span<const E> from, std::span<const std::int32_t> micro_batch,
                 std::span<E> to) {
            for (std::size_t i = 0; i < from.size();) {
              const std::size_t at = order.index_of(first + i), end = i + order.together(at, from.size() - i);
              const auto number = static_cast<std::uint32_t>(micro_batch[0]);
              const std::uint32_t key = sample_key(random_bits(rule.seed, number), at / rule.elements);
              for (std::size_t e = at % rule.elements; e < rule.elements && i < end; ++e, ++i)
                to[i] = element_bits(key, rule.whole_samples ? 0 : e) >= rule.limit ? E{rule.kept * float{from[i]}} : E{};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return ipu::dropout_cost(chip, ipu::element_type_of<E>(), n[0]); }};
}

}  // namespace impl

/// `to`: what is left of `from`, both in the order of `to`.
template <class = void>
inline ipu::step drop(const lowering& l, impl::drop_rule rule, ipu::variable_id from, const on_tiles& to) {
  if (!l.training) return ipu::copy_all(l.g, from, to);
  rule.seed = l.seed;
  light_vector<ipu::tile_block> blocks;
  for (const ipu::mapped_interval& i : l.g[to.variable].map()) blocks.push_back({i.tile, 1});
  const ipu::arranged in = ipu::arrange_like(l.g, from, to);
  const ipu::arranged number = ipu::arrange(l.g, l.micro_batch, "micro-batch", ipu::mapping_of(blocks),
                                            {{.length = 1, .copies = blocks.size(), .copy_step = 1}});
  ipu::codelet code = ipu::with_real(l.g[to.variable].type(), [&](auto e) { return impl::drop_codelet<decltype(e)>(rule, to.order); });
  ipu::step run = on_spread(l, "dropout", std::move(code), to,
                            {ipu::whole(in.variable), ipu::whole(number.variable), ipu::whole(to)});
  return ipu::sequence(in.bring, number.bring, std::move(run));
}

namespace impl {

template <drops Layer, class Shape>
constexpr drop_rule drop_rule_of(Layer, Shape) {
  constexpr drop_rate rate = rate_of(Layer{});
  return {0, Shape::elements, drop_limit(rate), static_cast<float>(kept_factor(rate)), rate.whole_samples};
}

}  // namespace impl

template <impl::drops Layer, class X>
constexpr panel_use panels_on_tiles(Layer, const forward_lowering<in<X>, out<X>>*) {
  return impl::takes_panels<X, X>();
}

template <impl::drops Layer, class X>
ipu::step lower_forward(Layer layer, const forward_lowering<in<X>, out<X>>& l) {
  return drop(l, impl::drop_rule_of(layer, X{}), l.in[0], l.out[0]);
}

template <impl::drops Layer, class X>
ipu::step lower_backward_inputs(Layer layer, const inputs_lowering<in<X>, out<X>>& l) {
  return drop(l, impl::drop_rule_of(layer, X{}), l.d_out[0], l.d_in[0]);
}

}  // namespace ipuflow::nn
