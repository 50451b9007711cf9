// SPDX-License-Identifier: BSL-1.0
// A mapping to a tile that the chip does not have.
// expect: ipuflow: interval 1 of a mapping is on tile 1472 of 1472
#include <ipuflow/ipu/program/mapping.hpp>

using namespace ipuflow;


#ifdef EXPECT_FAILURE
constexpr std::size_t tile = 1472;
#else
constexpr std::size_t tile = 1471;
#endif

static_assert(accept<ipu::verify(ipu::mapping{{0, 500, 0}, {500, 1000, tile}}, 1000, 1472)>());
