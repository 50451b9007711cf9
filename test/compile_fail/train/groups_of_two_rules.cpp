// SPDX-License-Identifier: BSL-1.0
// Groups of parameters with rules of different types.
// expect: ipuflow: groups have rules of one type; give all of them that of the first
#include <ipuflow/core.hpp>
#include <ipuflow/train.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr auto optimiser = train::in_groups(train::adamw{}, train::parameter_group{train::biases, train::sgd{}});
#else
constexpr auto optimiser = train::in_groups(train::adamw{}, train::parameter_group{train::biases, train::adamw{.weight_decay = 0}});
#endif
static_assert(!optimiser.verify());
