// SPDX-License-Identifier: BSL-1.0
// A layer of one's own has no bound of its memory.
// expect: ipuflow: it is not known what
// expect: of stage 0 takes on a tile; give it bound_on_tiles\(layer, in, out, question\), or count the network with train::planner
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/bounds/verify_fits.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <cstdint>

using namespace ipuflow;

struct doubled {};
template <class X>
constexpr X output_of(doubled, X) {
  return {};
}
template <class X>
constexpr nn::layer_facts facts(doubled, X) {
  return {};
}
template <class T, class X, class Y>
void forward(doubled, nn::forward_pass<T, nn::in<X>, nn::out<Y>>) {}
template <class T, class X, class Y>
void backward_inputs(doubled, nn::inputs_pass<T, nn::in<X>, nn::out<Y>>) {}
#ifndef EXPECT_FAILURE
template <class X>
constexpr nn::layer_bound bound_on_tiles(doubled, nn::in<X>, nn::out<X>, const nn::bound_question&) {
  return {};
}
#endif

constexpr auto network = pipeline(input<half, 784>, per_sample<"label", std::uint8_t>,
    stage(block<"A">(nn::linear<256>, doubled{})).ipu<0>(),
    stage(block<"B">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
static_assert(accept<train::verify_fits(network, schedule::one_f_one_b(training(network), micro_batches<8>), train::sgd{}, {.micro_batch = 8})>());
