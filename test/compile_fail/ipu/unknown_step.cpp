// SPDX-License-Identifier: BSL-1.0
// A program with a step of a kind that chips do not know.
// expect: ipuflow: .*wait_a_second is no step of a program; give what a function of ipu made, or one of the kinds in ipu/program/step.hpp
#include <ipuflow/ipu/program/step.hpp>

using namespace ipuflow;

struct wait_a_second {};

#ifdef EXPECT_FAILURE
using pause = wait_a_second;
#else
using pause = ipu::synchronise;
#endif

auto program() { return ipu::sequence(ipu::all_reduce{}, pause{}); }
