// SPDX-License-Identifier: BSL-1.0
// A user's own chip is checked where it is written.
// expect: ipuflow: architecture .*mine.* has no tiles; give it at least one
#include <ipuflow/ipu/machine/architecture.hpp>

using namespace ipuflow;

constexpr ipu::architecture mine = [] {
  ipu::architecture chip = ipu::mk2;
  chip.name = fixed_string<15>{std::string_view{"mine"}};
#ifdef EXPECT_FAILURE
  chip.tiles = 0;
#endif
  return chip;
}();

static_assert(accept<ipu::verify(mine)>());
