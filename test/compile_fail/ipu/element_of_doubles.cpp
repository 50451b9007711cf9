// SPDX-License-Identifier: BSL-1.0
// A variable of elements that a tile cannot compute with.
// expect: ipuflow: a tile does not compute with elements of this type; use half, float, 32-bit integers or bytes
#include <ipuflow/ipu/machine/element_type.hpp>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
constexpr ipu::element_type element = ipu::element_type_of<double>();
#else
constexpr ipu::element_type element = ipu::element_type_of<float>();
#endif
