// SPDX-License-Identifier: BSL-1.0
// The parts of the example: its network, its samples, its settings.
#pragma once

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/options.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace gpt {

using namespace ipuflow;

// begin: network
constexpr std::size_t positions = 128, width = 192, heads = 6, layers = 6;
constexpr std::size_t vocabulary = 96;  // what is printed in ASCII, and the end of a line

constexpr auto layer = block<"layer">(
    keep<"x">, nn::layer_norm, nn::linear<3 * width>, nn::causal_attention<heads>, nn::linear<width>, use<"x">(nn::add),
    keep<"y">, nn::layer_norm, nn::linear<4 * width>, nn::gelu, nn::linear<width>, use<"y">(nn::add));

constexpr auto network = pipeline(input<std::uint8_t, positions>, per_sample<"next", tensor<std::uint8_t, positions>>,
    split<4>(block<"embed">(nn::embedding<vocabulary, width>, nn::position_embedding),
             repeat<layers>(layer),
             block<"head">(nn::layer_norm, nn::linear<vocabulary>, use<"next">(nn::cross_entropy))));
// end: network

/// What the network reads for a character, and the reverse.
constexpr std::uint8_t token_of(char c) {
  if (c == '\n') return 95;
  return c < ' ' || c > '~' ? 0 : static_cast<std::uint8_t>(c - ' ');
}
constexpr char character_of(std::size_t token) { return token == 95 ? '\n' : static_cast<char>(' ' + token); }

// begin: text
/// Every place of a text is a sample: the characters from there on, and those that come next.
struct text_windows {
  std::vector<std::uint8_t> tokens;

  std::size_t size() const { return tokens.size() - positions; }
  auto operator[](std::size_t first) const {
    std::array<std::uint8_t, positions> here{}, next{};
    std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(first), positions, here.begin());
    std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(first) + 1, positions, next.begin());
    return std::tuple{here, next};
  }
};
// end: text

struct settings {
  std::string text = IPUFLOW_EXAMPLE_DATA "/../../docs";
  std::size_t updates = 10, threads = 0, characters = 200, chips = 0;
  float rate = 1e-3f;
  std::uint64_t seed = 42;
  std::string begin = "A pipeline", load, save, save_initial, checkpoints, profile;
};

constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<8>);
constexpr train::options in_micro_batches{.micro_batch = 8, .outputs = feed::output_mode::all, .max_grad_norm = 1};

/// Writes the weights that training begins with as a safetensors file.
void save_initial_weights(const std::string& path);

/// The same updates on threads and on chips, and what they take there.
void compare_on_chips(const text_windows& text, const settings& s);

}  // namespace gpt
