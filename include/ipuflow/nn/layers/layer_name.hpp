// SPDX-License-Identifier: BSL-1.0
// Names of a layer's variables on tiles: its block and its type, for profiles of memory.
#pragma once

#include <ipuflow/ipu/program/codelet.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::nn {

namespace impl {

/// "conv2d", from "nn::conv2d_t<10, 5, 1, 0, 1, true>".
[[nodiscard]] constexpr std::string_view layer_name(std::string_view type) {
  type = type.substr(0, type.find('<'));
  if (const std::size_t scope = type.rfind(':'); scope != std::string_view::npos) type.remove_prefix(scope + 1);
  if (type.ends_with("_t")) type.remove_suffix(2);
  return type;
}

/// "B1 conv2d"; long names are cut, so that something can be said behind them.
[[nodiscard]] constexpr ipu::name_text layer_name(std::string_view block, std::string_view type) {
  ipu::name_text made{block.substr(0, 8)};
  if (!made.empty()) made += " ";
  made += layer_name(type).substr(0, 10);
  return made;
}

}  // namespace impl

}  // namespace ipuflow::nn
