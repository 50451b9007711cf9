// SPDX-License-Identifier: BSL-1.0
// Residual networks (He et al. 2016; ResNeXt: Xie et al. 2017) as torchvision has them, which strides in the 3 x 3 convolution
// of a bottleneck. Each is a stage of blocks "conv1", "layer1.0", ..., "fc", for images of any size and number of classes.
#pragma once

#include <ipuflow/graph/stage.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/zoo/parts.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::zoo {

/// The first block: a convolution of 7 x 7 and a pool, which leave a sixteenth of an image of 224 x 224; for small images a
/// convolution of 3 x 3 that leaves all of it, as He et al. have it for CIFAR.
enum class stem : unsigned char { large_images, small_images };

/// The sizes of a residual network: the blocks of each of its four layers, of which the last ones may have none, and their channels.
struct resnet_sizes {
  std::size_t counts[4]{};
  bool has_bottlenecks = true;
  std::size_t groups = 1;            ///< of the 3 x 3 convolution of a bottleneck
  std::size_t width_per_group = 64;  ///< in the first layer, for 64 planes
  std::size_t planes = 64;           ///< of the first layer; each further one has twice as many

  constexpr std::size_t blocks() const { return counts[0] + counts[1] + counts[2] + counts[3]; }
};

namespace impl {

/// One residual block: where it stands, and its channels.
struct residual_sizes {
  std::size_t layer = 0;  // from 0
  std::size_t index = 0;
  std::size_t inner = 0;  // channels of its 3 x 3 convolution
  std::size_t outer = 0;  // and of its sum
  std::size_t stride = 1;
  bool projects = false;  // what it adds to has another shape
};

constexpr residual_sizes residual_at(const resnet_sizes& net, std::size_t block) {
  residual_sizes made;
  for (made.index = block; made.index >= net.counts[made.layer]; ++made.layer) made.index -= net.counts[made.layer];
  const std::size_t planes = net.planes << made.layer;
  made.inner = net.has_bottlenecks ? planes * net.width_per_group / 64 * net.groups : planes;
  made.outer = net.has_bottlenecks ? 4 * planes : planes;
  made.stride = made.index == 0 && made.layer > 0 ? 2 : 1;
  made.projects = made.index == 0 && (made.layer > 0 || net.has_bottlenecks);
  return made;
}

/// The end of a residual block: the sum with what entered it, which was kept as "entered".
template <residual_sizes S, auto Norm>
constexpr auto residual_sum() {
  if constexpr (S.projects) {
    return ops(set_aside<"main">, use<"entered">(convolution<S.outer, 1, S.stride>), Norm, use<"main">(nn::add));
  } else {
    return ops(use<"entered">(nn::add));
  }
}

template <resnet_sizes Net, auto Norm, std::size_t Block>
constexpr auto residual_block() {
  constexpr residual_sizes s = residual_at(Net, Block);
  constexpr auto name = name_of<joined(joined(joined("layer", s.layer + 1), "."), s.index)>;
  if constexpr (Net.has_bottlenecks) {
    return block<name>(keep<"entered">, normed<Norm, s.inner, 1>, nn::relu, normed<Norm, s.inner, 3, s.stride, Net.groups>,
                       nn::relu, normed<Norm, s.outer, 1>, residual_sum<s, Norm>(), nn::relu);
  } else {
    return block<name>(keep<"entered">, normed<Norm, s.inner, 3, s.stride>, nn::relu, normed<Norm, s.outer, 3>,
                       residual_sum<s, Norm>(), nn::relu);
  }
}

template <std::size_t Planes, stem Stem, auto Norm>
constexpr auto stem_block() {
  if constexpr (Stem == stem::large_images) {
    return block<"conv1">(normed<Norm, Planes, 7, 2>, nn::relu, nn::max_pool<3, 2, 1>);
  } else {
    return block<"conv1">(normed<Norm, Planes, 3>, nn::relu);
  }
}

}  // namespace impl

/// A residual network of any sizes.
template <resnet_sizes Net, std::size_t Classes = 1000, stem Stem = stem::large_images, auto Norm = nn::batch_norm>
inline constexpr auto resnet = []<std::size_t... Block>(std::index_sequence<Block...>) {
  return stage(impl::stem_block<Net.planes, Stem, Norm>(), impl::residual_block<Net, Norm, Block>()...,
               block<"fc">(nn::global_average_pool, nn::linear<Classes>));
}(std::make_index_sequence<Net.blocks()>{});

template <std::size_t Classes = 1000, stem Stem = stem::large_images, auto Norm = nn::batch_norm>
inline constexpr auto resnet18 = resnet<resnet_sizes{{2, 2, 2, 2}, false}, Classes, Stem, Norm>;

template <std::size_t Classes = 1000, stem Stem = stem::large_images, auto Norm = nn::batch_norm>
inline constexpr auto resnet50 = resnet<resnet_sizes{{3, 4, 6, 3}}, Classes, Stem, Norm>;

template <std::size_t Classes = 1000, stem Stem = stem::large_images, auto Norm = nn::batch_norm>
inline constexpr auto resnet101 = resnet<resnet_sizes{{3, 4, 23, 3}}, Classes, Stem, Norm>;

/// ResNeXt-101 32x4d: 3 x 3 convolutions of 32 groups, of 4 channels each in the first layer.
template <std::size_t Classes = 1000, stem Stem = stem::large_images, auto Norm = nn::batch_norm>
inline constexpr auto resnext101 = resnet<resnet_sizes{{3, 4, 23, 3}, true, 32, 4}, Classes, Stem, Norm>;

}  // namespace ipuflow::zoo
