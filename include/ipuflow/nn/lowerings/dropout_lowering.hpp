// SPDX-License-Identifier: BSL-1.0
// Dropout on tiles: every tile works the mask of its elements out from the number of the micro-batch, the very same
// mask as on the host, so nothing is kept of it and each pass can be run anywhere and again.
#pragma once

#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ipuflow::nn {

/// It asks for the number of the micro-batch while training.
template <double Rate>
constexpr bool counts_micro_batches(dropout_t<Rate>) {
  return true;
}

/// `lane_streams` for one sample.
struct sample_stream {
  std::uint32_t key = 0;

  constexpr sample_stream(std::uint64_t seed, std::uint64_t micro_batch, std::size_t sample)
      : key{static_cast<std::uint32_t>(random_bits(random_bits(seed, micro_batch), sample))} {}

  constexpr std::uint32_t at(std::size_t element) const {
    std::uint32_t bits = key + static_cast<std::uint32_t>(element) * 0x9e3779b9u;
    bits = (bits ^ (bits >> 16)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
    return bits ^ (bits >> 16);
  }
};

/// A rate as what codelets need of it.
struct drop_rule {
  std::uint64_t seed = 0;
  std::size_t elements = 1;  // of a sample
  std::uint32_t limit = 0;   // bits below it drop
  float kept = 1;            // factor of the others
};

template <class E>
ipu::codelet drop_codelet(const drop_rule& rule, std::vector<std::size_t> first_element) {
  return {ipu::name_from("dropout"), ipu::elementwise_code,
          [rule, first = std::move(first_element)](std::size_t vertex, std::span<const E> from,
                                                   std::span<const std::int32_t> micro_batch, std::span<E> to) {
            for (std::size_t i = 0; i < from.size();) {
              const std::size_t at = first[vertex] + i;
              const auto number = static_cast<std::uint32_t>(micro_batch[0]);
              const sample_stream random{rule.seed, number, at / rule.elements};
              for (std::size_t e = at % rule.elements; e < rule.elements && i < from.size(); ++e, ++i)
                to[i] = random.at(e) >= rule.limit ? E{rule.kept * float{from[i]}} : E{};
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            ipu::vertex_cost cost = ipu::binary_cost(chip, ipu::binary::mul, ipu::element_type_of<E>(), n[0]);
            cost.bundles += 12 * ipu::divided_up(n[0], chip.workers);  // 3 products, 4 shifts, 5 sums, a word at a time
            return cost;
          }};
}

/// `to`: what is left of `from`, both `spread`.
inline ipu::step drop(const lowering& l, drop_rule rule, ipu::variable_id from, ipu::variable_id to) {
  if (!l.training) return ipu::copy_all(l.g, from, to);
  rule.seed = l.seed;
  const ipu::mapping map = l.g[to].map();
  std::vector<std::size_t> first;
  std::vector<ipu::tile_block> blocks;
  for (const ipu::mapped_interval& i : map) {
    first.push_back(i.begin);
    blocks.push_back({i.tile, 1});
  }
  const ipu::arranged in = ipu::arrange_like(l.g, from, to);
  const ipu::arranged number = ipu::arrange(l.g, l.micro_batch, "micro-batch", ipu::mapping_of(blocks),
                                            {{{}, 0, {}, 0, 1, 1, 0, 0, blocks.size(), 1}});
  const std::size_t code = l.g.add_codelet(
      ipu::with_real(l.g[to].type(), [&](auto e) { return drop_codelet<decltype(e)>(rule, std::move(first)); }));
  const ipu::compute_set_id set = l.g.add_compute_set("dropout");
  const std::size_t first_tile = map.front().tile;
  l.g.add_vertices(
      set,
      {code, first_tile, blocks.size(), 1, {ipu::whole(in.variable), ipu::whole(number.variable), ipu::whole(to)}});
  return ipu::sequence(in.bring, number.bring, ipu::execute(set));
}

template <double Rate, class Shape>
constexpr drop_rule drop_rule_of(dropout_t<Rate>, Shape) {
  return {0, Shape::elements, static_cast<std::uint32_t>(Rate * 4294967296.0), static_cast<float>(1 / (1 - Rate))};
}

template <double Rate, class E, class Shape>
ipu::step lower_forward(dropout_t<Rate> layer, const lowering& l, on_tiles<E, Shape> x, on_tiles<E, Shape> y) {
  return drop(l, drop_rule_of(layer, Shape{}), x.variable, y.variable);
}

template <double Rate, class E, class Shape>
ipu::step lower_backward_inputs(dropout_t<Rate> layer, const lowering& l, on_tiles<E, Shape>, on_tiles<E, Shape>,
                                on_tiles<E, Shape> d_y, on_tiles<E, Shape> d_x) {
  return drop(l, drop_rule_of(layer, Shape{}), d_y.variable, d_x.variable);
}

}  // namespace ipuflow::nn
