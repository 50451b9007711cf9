// SPDX-License-Identifier: BSL-1.0
// VGG-16 (Simonyan, Zisserman 2015) as torchvision has it: a stage of blocks "features.0" to "features.24", each called after
// its first layer there, and "classifier". The classifier sees all of the last image, so its size depends on that of the
// images; torchvision's weights fit 224 x 224.
#pragma once

#include <ipuflow/graph/stage.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/pool.hpp>

#include <cstddef>

namespace ipuflow::zoo {

namespace impl {

template <std::size_t Filters>
inline constexpr auto seen = ops(nn::conv2d<Filters, 3, 1, 1>, nn::relu);

template <std::size_t Units>
inline constexpr auto hidden = ops(nn::linear<Units>, nn::relu, nn::dropout<0.5>);

}  // namespace impl

template <std::size_t Classes = 1000>
inline constexpr auto vgg16 =
    stage(block<"features.0">(impl::seen<64>, impl::seen<64>, nn::max_pool<2>),
          block<"features.5">(impl::seen<128>, impl::seen<128>, nn::max_pool<2>),
          block<"features.10">(impl::seen<256>, impl::seen<256>, impl::seen<256>, nn::max_pool<2>),
          block<"features.17">(impl::seen<512>, impl::seen<512>, impl::seen<512>, nn::max_pool<2>),
          block<"features.24">(impl::seen<512>, impl::seen<512>, impl::seen<512>, nn::max_pool<2>),
          block<"classifier">(nn::flatten, impl::hidden<4096>, impl::hidden<4096>, nn::linear<Classes>));

}  // namespace ipuflow::zoo
