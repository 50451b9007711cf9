// SPDX-License-Identifier: BSL-1.0
// A layer that is given the wrong rank.
// expect: ipuflow: stage 1 cannot take what it is given: in block \\'B2\\' op 0, nn::linear_t<10>, is given \(tensor<float, 10, 24, 24>\); change the op or what stands before it
#include <ipuflow/ipuflow.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<float, 1, 28, 28>, block<"B1">(nn::conv2d<10, 5>), block<"B2">(nn::linear<10>));
#else
constexpr auto p = pipeline(input<float, 1, 28, 28>, block<"B1">(nn::conv2d<10, 5>), block<"B2">(nn::flatten, nn::linear<10>));
#endif
