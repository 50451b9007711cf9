// SPDX-License-Identifier: BSL-1.0
// EfficientNet (Tan, Le 2019) B0 to B4 as torchvision has them: one network of inverted bottlenecks with depthwise convolutions
// and squeeze and excitation, made wider and deeper. Each is a stage of blocks "features.0", "features.1.0", ..., "features.8"
// and "classifier", for images of any size; those that they were made for: 224, 240, 260 (torchvision: 288), 300, 380.
#pragma once

#include <ipuflow/graph/stage.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>
#include <ipuflow/zoo/parts.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::zoo {

/// The choices of variants of EfficientNet in its blocks. Convolutions of groups of 16 channels, with an expansion of 4, do what
/// those of single channels do and have the work that arrays of multipliers are made for (Masters et al. 2021).
struct inverted_blocks {
  std::size_t group = 1;      ///< channels that the convolution in the middle of a block takes together; 1 is depthwise
  std::size_t expansion = 6;  ///< its channels by those that enter the block
};

namespace impl {

/// The factors of a size of EfficientNet.
struct efficientnet_sizes {
  double width = 1;      // of channels
  double depth = 1;      // of the blocks of a layer
  double dropout = 0.2;  // before the classifier

  /// Channels in eights, at least nine tenths of what the width asks for.
  constexpr std::size_t channels(std::size_t of_b0) const {
    const double wanted = static_cast<double>(of_b0) * width;
    const auto rounded = static_cast<std::size_t>(wanted + 4) / 8 * 8;
    const std::size_t made = rounded < 8 ? 8 : rounded;
    return static_cast<double>(made) < 0.9 * wanted ? made + 8 : made;
  }
  constexpr std::size_t repeats(std::size_t of_b0) const {
    const double wanted = static_cast<double>(of_b0) * depth;
    const auto whole = static_cast<std::size_t>(wanted);
    return static_cast<double>(whole) < wanted ? whole + 1 : whole;
  }
};

/// A layer of B0: blocks of these sizes, of which the first has the stride.
struct bottleneck_layer {
  std::size_t kernel, stride, in, out, blocks;
};
inline constexpr bottleneck_layer efficientnet_layers[] = {
    {3, 1, 32, 16, 1},  {3, 2, 16, 24, 2},   {5, 2, 24, 40, 2},   {3, 2, 40, 80, 3},
    {5, 1, 80, 112, 3}, {5, 2, 112, 192, 4}, {3, 1, 192, 320, 1},
};

constexpr std::size_t blocks_of(const efficientnet_sizes& net) {
  std::size_t all = 0;
  for (const bottleneck_layer& l : efficientnet_layers) all += net.repeats(l.blocks);
  return all;
}

/// One inverted bottleneck: where it stands, and its sizes.
struct inverted_sizes {
  std::size_t layer = 0;  // from 0
  std::size_t index = 0;
  std::size_t kernel = 0;
  std::size_t stride = 1;
  std::size_t in = 0;
  std::size_t inner = 0;
  std::size_t groups = 1;  // of the inner channels
  std::size_t out = 0;
  double drop = 0;  // the rate of stochastic depth, which grows from block to block
};

/// The first layer does not expand. Channels make as many groups as they fill, and at least one.
constexpr inverted_sizes inverted_at(const efficientnet_sizes& net, const inverted_blocks& variant, std::size_t block) {
  inverted_sizes made;
  for (made.index = block; made.index >= net.repeats(efficientnet_layers[made.layer].blocks); ++made.layer)
    made.index -= net.repeats(efficientnet_layers[made.layer].blocks);
  const bottleneck_layer& l = efficientnet_layers[made.layer];
  made.kernel = l.kernel;
  made.stride = made.index == 0 ? l.stride : 1;
  made.out = net.channels(l.out);
  made.in = made.index == 0 ? net.channels(l.in) : made.out;
  made.inner = made.layer == 0 ? made.in : made.in * variant.expansion;
  made.groups = made.inner < variant.group ? 1 : made.inner / variant.group;
  made.drop = 0.2 * static_cast<double>(block) / static_cast<double>(blocks_of(net));
  return made;
}

/// The convolutions of a block: wider, in groups, and back.
template <inverted_sizes S, auto Norm>
constexpr auto inverted_convolutions() {
  constexpr std::size_t squeezed = S.in < 4 ? 1 : S.in / 4;
  constexpr auto from_inner = ops(normed<Norm, S.inner, S.kernel, S.stride, S.groups>, nn::swish,
                                  nn::squeeze_excite<"channels", S.inner, squeezed>(), normed<Norm, S.out, 1>);
  if constexpr (S.inner == S.in) {
    return from_inner;
  } else {
    return ops(normed<Norm, S.inner, 1>, nn::swish, from_inner);
  }
}

template <efficientnet_sizes Net, inverted_blocks Variant, auto Norm, std::size_t Block>
constexpr auto inverted_bottleneck() {
  constexpr inverted_sizes s = inverted_at(Net, Variant, Block);
  constexpr auto name = name_of<joined(joined(joined("features.", s.layer + 1), "."), s.index)>;
  constexpr auto made = inverted_convolutions<s, Norm>();
  if constexpr (s.stride == 1 && s.in == s.out) {
    return block<name>(keep<"entered">, made, nn::stochastic_depth<s.drop>, use<"entered">(nn::add));
  } else {
    return block<name>(made);
  }
}

template <efficientnet_sizes Net, std::size_t Classes, inverted_blocks Variant, auto Norm>
constexpr auto efficientnet() {
  return []<std::size_t... Block>(std::index_sequence<Block...>) {
    return stage(block<"features.0">(normed<Norm, Net.channels(32), 3, 2>, nn::swish),
                 inverted_bottleneck<Net, Variant, Norm, Block>()...,
                 block<"features.8">(normed<Norm, 4 * Net.channels(320), 1>, nn::swish),
                 block<"classifier">(nn::global_average_pool, nn::dropout<Net.dropout>, nn::linear<Classes>));
  }(std::make_index_sequence<blocks_of(Net)>{});
}

}  // namespace impl

template <std::size_t Classes = 1000, inverted_blocks Variant = inverted_blocks{}, auto Norm = nn::batch_norm>
inline constexpr auto efficientnet_b0 = impl::efficientnet<impl::efficientnet_sizes{1.0, 1.0, 0.2}, Classes, Variant, Norm>();

template <std::size_t Classes = 1000, inverted_blocks Variant = inverted_blocks{}, auto Norm = nn::batch_norm>
inline constexpr auto efficientnet_b1 = impl::efficientnet<impl::efficientnet_sizes{1.0, 1.1, 0.2}, Classes, Variant, Norm>();

template <std::size_t Classes = 1000, inverted_blocks Variant = inverted_blocks{}, auto Norm = nn::batch_norm>
inline constexpr auto efficientnet_b2 = impl::efficientnet<impl::efficientnet_sizes{1.1, 1.2, 0.3}, Classes, Variant, Norm>();

template <std::size_t Classes = 1000, inverted_blocks Variant = inverted_blocks{}, auto Norm = nn::batch_norm>
inline constexpr auto efficientnet_b3 = impl::efficientnet<impl::efficientnet_sizes{1.2, 1.4, 0.3}, Classes, Variant, Norm>();

template <std::size_t Classes = 1000, inverted_blocks Variant = inverted_blocks{}, auto Norm = nn::batch_norm>
inline constexpr auto efficientnet_b4 = impl::efficientnet<impl::efficientnet_sizes{1.4, 1.8, 0.4}, Classes, Variant, Norm>();

}  // namespace ipuflow::zoo
