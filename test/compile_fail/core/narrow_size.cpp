// SPDX-License-Identifier: BSL-1.0
// A processor of 32 bits, or -m32.
// flags: -U__SIZEOF_SIZE_T__ -D__SIZEOF_SIZE_T__=4
// expect: ipuflow: a std::size_t of 32 bits does not hold what the library counts; compile for a processor of 64 bits, without -m32
#include <ipuflow/core.hpp>
