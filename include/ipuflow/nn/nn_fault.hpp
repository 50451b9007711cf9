// SPDX-License-Identifier: BSL-1.0
// Faults of layers and of their inputs, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace ipuflow::nn {

enum class nn_wrong : unsigned char {
  nothing,
  not_a_layer,
  layer_with_members,
  no_kernel,
  no_lowering,
  never_initialised,
  too_many_biases,
  weight_extents_differ,
  other_memory,
  label_too_large,
  token_too_large,
  negative_label,
  negative_token,
  kind_too_large,
  negative_kind,
  no_deviation,
  no_mean,
  channels_differ,
  tied_to_nothing,
  tied_in_turn,
  tied_shapes_differ,
  several_stages,
  no_such_blocks,
  no_samples,
};

/// The op in question: its block, its position there, its type, and the call for which there is no function. Of a tied layer `type` is
/// the name of its table, `call` both shapes.
struct layer_place {
  fixed_string<60> block{};
  std::size_t op = 0;
  type_text type{};
  fixed_string<160> call{};
  std::size_t sample = 0;

  friend constexpr bool operator==(const layer_place&, const layer_place&) = default;
};

using nn_fault = fault<nn_wrong, layer_place>;

constexpr const char* wording(nn_wrong wrong) {
  switch (wrong) {
    case nn_wrong::nothing:
      return "";
    case nn_wrong::not_a_layer:
      return "ipuflow: op {op} of block '{block}', {type}, is not a layer that can be trained; give it constexpr facts() and kernels, or run it as "
             "a callable";
    case nn_wrong::layer_with_members:
      return "ipuflow: op {op} of block '{block}', {type}, is a layer with members, of which its kernels learn nothing; make them template "
             "arguments of its type";
    case nn_wrong::no_kernel:
      return "ipuflow: op {op} of block '{block}', {type}, cannot be trained without {call}; write it in the namespace of the layer, or include the "
             "header that has it";
    case nn_wrong::no_lowering:
      return "ipuflow: op {op} of block '{block}', {type}, cannot run on tiles without {call}; write it in the namespace of the layer, or include "
             "<ipuflow/chips.hpp> for those of nn";
    case nn_wrong::never_initialised:
      return "ipuflow: op {op} of block '{block}', {type}, has {got} parameter{s} and state that nothing sets; write initialise_layer(layer, type, "
             "seed, values, state)";
    case nn_wrong::too_many_biases:
      return "ipuflow: op {op} of block '{block}', {type}, has {got} bias{es} among {limit} parameter{s}; biases are the last of the parameters";
    case nn_wrong::weight_extents_differ:
      return "ipuflow: op {op} of block '{block}', {type}, has {limit} weight{s} beside its biases but weight_extents of {got}; these "
             "multiply to the number of its weights";
    case nn_wrong::other_memory:
      return "ipuflow: op {op} of block '{block}', {type}, makes {got} element{s} in the memory of an input of {limit}; leave same_memory out of its "
             "facts";
    case nn_wrong::label_too_large:
      return "ipuflow: sample {op} of a micro-batch has label {got} but the network has {limit} class{es}; labels count from 0";
    case nn_wrong::token_too_large:
      return "ipuflow: position {op} of sample {sample} of a micro-batch has token {got} but the vocabulary has {limit}; tokens count from "
             "0";
    case nn_wrong::negative_label:
      return "ipuflow: sample {op} of a micro-batch has label -{got}; labels count from 0, and a sample that is to be left out has the "
             "label that nn::cross_entropy_of<{.ignored = -{got}}> ignores";
    case nn_wrong::negative_token:
      return "ipuflow: position {op} of sample {sample} of a micro-batch has token -{got}; tokens count from 0";
    case nn_wrong::kind_too_large:
      return "ipuflow: position {op} of sample {sample} of a micro-batch is of kind {got} but the layer has {limit} kind{s}; kinds count from "
             "0";
    case nn_wrong::negative_kind:
      return "ipuflow: position {op} of sample {sample} of a micro-batch is of kind -{got}; kinds count from 0";
    case nn_wrong::no_deviation:
      return "ipuflow: nn::normalise divides by the deviation of channel {got}, which is no number from 1.2e-38 to 1.3e36; give it the deviation of "
             "the data";
    case nn_wrong::no_mean:
      return "ipuflow: nn::normalise takes off the mean of channel {got}, which divided by the deviation is no number that a float holds; give it the mean "
             "of the data";
    case nn_wrong::channels_differ:
      return "ipuflow: nn::normalise has {got} mean{s} and {limit} deviation{s}; give one of each for every channel, or one number for all";
    case nn_wrong::tied_to_nothing:
      return "ipuflow: op {op} of block '{block}' shares the weights of '{type}', but no layer has this name; say its block and which of its ops it "
             "is, as in nn::tied<\"embed[0]\">";
    case nn_wrong::tied_in_turn:
      return "ipuflow: op {op} of block '{block}' shares the weights of '{type}', which itself shares those of a layer; name the layer that has them";
    case nn_wrong::tied_shapes_differ:
      return "ipuflow: op {op} of block '{block}' shares the weights of '{type}', but their shapes are {call}; both have as many rows and columns";
    case nn_wrong::several_stages:
      return "ipuflow: blocks are cut out of a pipeline of one stage, but this one has {got}; make one of all its blocks with regroup(pipeline, "
             "stage<...>())";
    case nn_wrong::no_such_blocks:
      return "ipuflow: blocks from {op} up to {got} are no part of a pipeline of {limit} block{s}; give a first one before the last, and both within "
             "them";
    case nn_wrong::no_samples:
      return "ipuflow: a stage is to be laid out on tiles for micro-batches of no samples; give at least {limit}";
  }
  return "";
}

constexpr message_text sentence(const nn_fault& f) {
  const auto& [block, op, type, call, sample] = f.where;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"op", op}, {"block", block}, {"type", type}, {"call", call},
                 {"sample", sample}});
}

namespace impl {

/// The fault of a label or token that counts no entry; of one below 0 `got` is how far.
template <std::integral Number>
[[gnu::cold]] constexpr nn_fault no_entry(Number n, std::size_t entries, nn_wrong too_large, nn_wrong negative,
                                          const layer_place& where) {
  const auto index = static_cast<std::size_t>(n);
  if constexpr (std::is_signed_v<Number>) {
    if (n < 0) return {negative, ~index + 1, entries, where};
  }
  return {too_large, index, entries, where};
}
/// That of a row of a table of tokens, or of kinds.
template <std::integral Number>
[[gnu::cold]] constexpr nn_fault no_row(Number n, std::size_t entries, bool of_kinds, std::size_t position, std::size_t sample) {
  using enum nn_wrong;
  return no_entry(n, entries, of_kinds ? kind_too_large : token_too_large, of_kinds ? negative_kind : negative_token,
                  {.op = position, .sample = sample});
}

}  // namespace impl

}  // namespace ipuflow::nn

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<nn::nn_fault>;
}
#endif
