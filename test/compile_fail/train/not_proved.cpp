// SPDX-License-Identifier: BSL-1.0
// A network whose micro-batches are too large for its chips: it is not proved to fit.
// expect: ipuflow: it is not proved that chip 0 has enough memory: its fullest tile takes at most
// expect: most are activations
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/bounds/verify_fits.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <cstddef>
#include <cstdint>

using namespace ipuflow;

constexpr auto network = pipeline(input<half, 784>, per_sample<"label", std::uint8_t>,
    stage(block<"A">(nn::linear<256>, nn::relu)).ipu<0>(),
    stage(block<"B">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
constexpr auto step = schedule::one_f_one_b(training(network), micro_batches<8>);

#ifdef EXPECT_FAILURE
constexpr std::size_t micro_batch_size = 1'000'000;
#else
constexpr std::size_t micro_batch_size = 64;
#endif
static_assert(accept<train::verify_fits<train::precision<float, half, half>>(network, step, train::sgd{}, {.micro_batch = micro_batch_size})>());
