// SPDX-License-Identifier: BSL-1.0
// Parts that published networks of convolutions share: a convolution with a norm behind it, and the names of blocks. Order and
// names follow torchvision's models, so that weights can come from there.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/graph/ops.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/norm.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::zoo {

namespace impl {

/// A text in as many characters as it has: equal names are equal template arguments.
template <fixed_string<60> Text>
inline constexpr fixed_string<Text.size()> name_of{Text.view()};

constexpr fixed_string<60> joined(std::string_view first, std::string_view second) {
  fixed_string<60> made{first};
  made += second;
  return made;
}
constexpr fixed_string<60> joined(std::string_view first, std::size_t number) {
  fixed_string<60> made{first};
  made += number;
  return made;
}

/// A convolution that keeps the size of its image, or divides it by the stride, without biases.
template <std::size_t Filters, std::size_t Kernel, std::size_t Stride = 1, std::size_t Groups = 1>
inline constexpr auto convolution = without_biases(nn::conv2d<Filters, Kernel, Stride, Kernel / 2, Groups>);

/// The same with a norm behind it.
template <auto Norm, std::size_t Filters, std::size_t Kernel, std::size_t Stride = 1, std::size_t Groups = 1>
inline constexpr auto normed = ops(convolution<Filters, Kernel, Stride, Groups>, Norm);

}  // namespace impl

}  // namespace ipuflow::zoo
