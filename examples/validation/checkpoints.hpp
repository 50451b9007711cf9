// SPDX-License-Identifier: BSL-1.0
// Networks of the zoo with checkpoints between their blocks, or between the ops of a block: published runs keep these values, and
// compute the others again.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <boost/hana/unpack.hpp>

#include <cstddef>

namespace validation {

using namespace ipuflow;

/// A block that keeps what enters it.
inline constexpr auto after_checkpoint = []<fixed_string Name, std::size_t Ipu, class... Op>(const block_t<Name, Ipu, Op...>& of) {
  return hana::unpack(of.ops, [](const auto&... op) { return block<Name>(nn::checkpoint, op...); });
};

/// An op and a checkpoint of what it gives; what only names values gives nothing new, nor does an activation, which is quick.
template <class Op>
constexpr auto kept(const Op& op) {
  return ops(op, nn::checkpoint);
}
template <fixed_string... Name>
constexpr auto kept(const keep_t<Name...>& op) {
  return op;
}
template <fixed_string... Name>
constexpr auto kept(const set_aside_t<Name...>& op) {
  return op;
}
constexpr auto kept(const nn::relu_t& op) { return op; }

/// A block that keeps what enters it and most of what it makes.
inline constexpr auto all_checkpoints = []<fixed_string Name, std::size_t Ipu, class... Op>(const block_t<Name, Ipu, Op...>& of) {
  return hana::unpack(of.ops, [](const auto&... op) { return block<Name>(nn::checkpoint, kept(op)...); });
};

}  // namespace validation
