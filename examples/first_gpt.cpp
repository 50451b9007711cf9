// SPDX-License-Identifier: BSL-1.0
// A language model on two stages: each token follows from the one before it, and after a few steps the model knows how.
// begin: whole
#include <ipuflow/feed/load.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/session.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>

using namespace ipuflow;

constexpr auto network = pipeline(input<std::uint8_t, 16>, per_sample<"next", tensor<std::uint8_t, 16>>,
    split<2>(block<"embed">(nn::embedding<20, 24>, nn::position_embedding),
             repeat<2>(block<"layer">(
                 keep<"x">, nn::layer_norm, nn::linear<72>, nn::causal_attention<2>, nn::linear<24>, use<"x">(nn::add),
                 keep<"y">, nn::layer_norm, nn::linear<48>, nn::gelu, nn::linear<24>, use<"y">(nn::add))),
             block<"head">(nn::layer_norm, nn::linear<20>, use<"next">(nn::cross_entropy))));

/// Token t is followed by 3 t + 1, of 20.
struct rows_of_tokens {
  std::size_t size() const { return 640; }
  auto operator[](std::size_t index) const {
    std::array<std::uint8_t, 16> tokens{}, next{};
    std::size_t token = index % 20;
    for (std::size_t i = 0; i < 16; ++i) {
      tokens[i] = static_cast<std::uint8_t>(token);
      token = (3 * token + 1) % 20;
      next[i] = static_cast<std::uint8_t>(token);
    }
    return std::tuple{tokens, next};
  }
};

int main() {
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{.rate = 1e-2f}, {.micro_batch = 8}};
  double loss = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (auto&& step : feed::load(rows_of_tokens{}, session.samples_per_step(), {.shuffle = 1})) loss = train::mean_of(session(step).back());
  }
  std::printf("%zu updates: %s\n", session.updates(), loss < 0.1 ? "it knows what is next" : "not learned");
}
// end: whole
