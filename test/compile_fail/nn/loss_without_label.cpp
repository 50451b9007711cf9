// SPDX-License-Identifier: BSL-1.0
// A loss that is not told what the labels are.
// expect: ipuflow: .* in block \\'A\\' op 1, nn::cross_entropy_t, is given \(tensor<float, 3>\); change the op or what stands before it
#include <ipuflow/core.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = single_stage(input<float, 3>, per_sample<"label", int>, block<"A">(nn::linear<3>, nn::cross_entropy));
#else
constexpr auto p = single_stage(input<float, 3>, per_sample<"label", int>,
                                block<"A">(nn::linear<3>, use<"label">(nn::cross_entropy)));
#endif
static_assert(stages(p).size() == 1);
