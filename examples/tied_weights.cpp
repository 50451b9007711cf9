// SPDX-License-Identifier: BSL-1.0
// One table at both ends of a language model: the first stage looks tokens up in it, the last one scores tokens by it. Each stage has a
// copy on its IPU, and updates leave both equal, on threads and on simulated chips.
#include <ipuflow/chips.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/named_tensors.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>

using namespace ipuflow;

// begin: network
constexpr auto network = pipeline(input<std::uint8_t, 16>, per_sample<"next", tensor<std::uint8_t, 16>>,
    split<2>(block<"embed">(nn::embedding<20, 24>, nn::position_embedding),
             repeat<2>(block<"layer">(
                 keep<"x">, nn::layer_norm, nn::linear<72>, nn::causal_attention<2>, nn::linear<24>, use<"x">(nn::add),
                 keep<"y">, nn::layer_norm, nn::linear<48>, nn::gelu, nn::linear<24>, use<"y">(nn::add))),
             block<"head">(nn::layer_norm, nn::tied<"embed[0]">(without_biases(nn::linear<20>)), use<"next">(nn::cross_entropy))));

static_assert(nn::parameter_count(network) == 20 * 24 + 16 * 24 + 2 * 4872 + 2 * 24);  // the table once
// end: network

namespace {

/// Token t is followed by 3 t + 1, of 20.
struct rows_of_tokens {
  std::size_t size() const { return 160; }
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

template <class BackEnd>
void train_on(const char* what, BackEnd back_end) {
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{.rate = 1e-2f}, {.micro_batch = 4}, back_end};
  double loss = 0;
  for (auto&& step : feed::load(rows_of_tokens{}, session.samples_per_step(), {.shuffle = 1})) loss = train::mean_of(session(step).back());
  const auto& numbers = session.parameters()->values;
  const auto tensors = train::named_tensors(network);
  std::size_t copy = 0, equal = 0;
  for (const train::named_tensor& t : tensors) copy = t.name == "head[1] weights" ? t.first : copy;
  for (std::size_t i = 0; i < tensors[0].count; ++i) {
    if (numbers[copy + i] == numbers[tensors[0].first + i]) ++equal;
  }
  std::printf("%s: loss %.2f after %zu updates; %zu of %zu numbers of the table are those of its copy\n", what, loss, session.updates(), equal,
              tensors[0].count);
}

}  // namespace

int main() {
  train_on("threads", on::threads{.count = 2});
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 64;
  train_on("chips", on::chips{.system = ipu::pod(chip, 2)});
}
