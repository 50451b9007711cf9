// SPDX-License-Identifier: BSL-1.0
// A group whose gradients are to be added up in whole numbers.
// expect: ipuflow: gradients are not added up in int; say accumulate_as<half>, <float> or <double>
#include <ipuflow/core.hpp>
#include <ipuflow/train.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using number = int;
#else
using number = half;
#endif
constexpr auto optimiser = train::in_groups(train::sgd{}, train::parameter_group{train::biases, train::sgd{}, train::accumulate_as<number>});
static_assert(!optimiser.verify());
