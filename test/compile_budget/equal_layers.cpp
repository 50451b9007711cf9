// Trains LAYERS equal layers over three stages: 24 of them may take at most 1.3 times as long to compile as 6.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstdint>

using namespace ipuflow;

constexpr auto layer = block<"layer">(keep<"x">, nn::layer_norm, nn::linear<64>, nn::gelu, nn::linear<32>, use<"x">(nn::add),
                                      keep<"y">, nn::layer_norm, nn::linear<32>, nn::tanh, use<"y">(nn::add));
constexpr auto network = pipeline(input<float, 32>, per_sample<"class", std::uint8_t>, split<2>(repeat<LAYERS>(layer)),
                                  stage(block<"out">(nn::linear<4>, use<"class">(nn::cross_entropy))));
using type = std::remove_const_t<decltype(network)>;
static_assert(stages(network)[0].output_bytes == bytes_of<tensor<float, 32>> + 1_B);
static_assert(nn::stage_program<type, 0>::parameter_count == LAYERS / 2 * (64 + 32 * 64 + 64 + 64 * 32 + 32 + 64 + 32 * 32 + 32));

#ifndef CHECK_ONLY
int main() {
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adam{.rate = 1e-2f}, {.micro_batch = 8}};
  return session.samples_per_step() == 32 ? 0 : 1;
}
#endif
