// SPDX-License-Identifier: BSL-1.0
// Seven layers of BERT-large in training on one simulated chip, counted: with one copy of their code, and with code for each of them.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

// begin: alike
constexpr auto layer = block<"layer">(keep<"x">, nn::linear<3 * 1024>, nn::attention<16>, nn::linear<1024>, use<"x">(nn::add), nn::layer_norm,
                                      keep<"y">, nn::linear<4 * 1024>, nn::gelu, nn::linear<1024>, use<"y">(nn::add), nn::layer_norm);
constexpr auto network = single_stage(input<half, 128, 1024>, per_sample<"follows", std::uint8_t>, repeat<7>(layer),
                                      block<"loss">(nn::position<0>, nn::linear<2>, use<"follows">(nn::cross_entropy)));

void count(bool shares) {
  constexpr auto timetable = schedule::sharded(network, micro_batches<1>);
  const on::chips chips{.synthetic = true, .half_partials = true, .share_code = shares, .allow_out_of_memory = true};
  const train::session session(network, timetable, train::sgd{}, {.micro_batch = 8}, chips, train::precision<float, half, half>{});
  const ipu::profile seen = session.cost().chips;
  const auto on_a_tile = [&](ipu::memory_category c) { return static_cast<std::size_t>(seen.memory.total(c) / seen.memory.tiles.size()); };
  std::printf("%-14s bytes a tile: exchange code %6zu, vertex state %6zu, control code %6zu; %llu cycles\n", shares ? "one copy:" : "of each layer:",
              on_a_tile(ipu::memory_category::exchange_code), on_a_tile(ipu::memory_category::vertex_state),
              on_a_tile(ipu::memory_category::control_code), static_cast<unsigned long long>(seen.total.value));
}
// end: alike

int main() {
  count(true);
  count(false);
}
