// SPDX-License-Identifier: BSL-1.0
// A session of a network with a tied layer that names a tied layer.
// expect: ipuflow: op 0 of block \\'c\\' shares the weights of \\'b\[0\]\\', which itself shares those of a layer; name the layer that has them
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstdint>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto third = nn::tied<"b[0]">(nn::linear<5>);
#else
constexpr auto third = nn::tied<"a[0]">(nn::linear<5>);
#endif
constexpr auto p = pipeline(input<float, 5>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<5>, nn::tanh),
                            block<"b">(nn::tied<"a[0]">(nn::linear<5>), nn::tanh), block<"c">(third, use<"label">(nn::cross_entropy)));

void train_it() { train::session session{p, schedule::grouped(p, micro_batches<6>), train::adamw{}, {}}; }
