// SPDX-License-Identifier: BSL-1.0
// The layers that random networks are made of: each between values of a few types, with its kernels for the host and its lowerings
// for tiles, outside of its types. They are compiled once; a network of them is chosen while the program runs.
#pragma once

#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/step_kernels.hpp>
#include <ipuflow/train/scaling.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace trust {

/// The type of a value: small, so that a network takes no time, and of every form that lanes and tiles hold in another way.
enum class kind : unsigned char { label, image, planes, pooled, sequence, triple, three, four, five, eight, twelve, tokens, loss };
inline constexpr std::array<std::string_view, 13> kind_names{"label", "image", "planes", "pooled", "sequence", "triple", "three", "four", "five", "eight", "twelve", "tokens", "loss"};
inline constexpr std::size_t vocabulary = 7;  // of tokens

/// A layer between values. `halves`: what it is where tensors are stored as halves and computed with as floats.
struct word {
  std::string_view name{};
  ipuflow::nn::layer_facts facts{};
  std::array<kind, 2> in{};
  std::size_t inputs = 1;
  std::array<kind, 2> out{};
  std::size_t outputs = 1;  ///< of a loss two: what it was given, and the loss
  ipuflow::nn::step_kernels<double> doubles{};
  ipuflow::nn::step_kernels<float> floats{};
  ipuflow::nn::step_kernels<float> halves{};
  ipuflow::nn::step_kernels<double> exact_halves{};  ///< each layer in double, rounded once to halves
  const ipuflow::nn::impl::lowering_code* on_tiles = nullptr;
  const ipuflow::nn::impl::lowering_code* halves_on_tiles = nullptr;
  void (*begin)(std::uint64_t seed, double* values, double* state) = nullptr;  ///< writes its first parameters; none without any
  std::size_t noise = 0;  ///< it draws numbers of its own
};

/// All of them; the copies of each kind stand in `copy_of`.
std::span<const word> words();
const word& copy_of(kind k);

/// How values enter a network and leave it, outside of their types.
template <class T>
struct ends_of {
  void (*load)(const void* data, std::size_t first, std::size_t count, std::byte* lanes, std::size_t room, ipuflow::train::scaling how) = nullptr;
  void (*store)(const std::byte* values, std::size_t count, bool sum, ipuflow::light_span<float> row, ipuflow::light_vector<float>& room) = nullptr;
};
template <class T>
ends_of<T> ends_for(kind k, bool halves);
extern template ends_of<float> ends_for<float>(kind k, bool halves);
extern template ends_of<double> ends_for<double>(kind k, bool halves);

ipuflow::ipu::element_type type_on_tiles(kind k, bool halves);

/// What a slot of a stage that holds a kind is, before it is planned. T: what is computed with.
template <class T>
ipuflow::nn::slot_plan slot_for(kind k);
extern template ipuflow::nn::slot_plan slot_for<float>(kind k);
extern template ipuflow::nn::slot_plan slot_for<double>(kind k);

}  // namespace trust
