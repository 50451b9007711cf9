// SPDX-License-Identifier: BSL-1.0
// A compiler older than those that the library needs.
// flags: -U__GNUC__ -D__GNUC__=11 -U__clang_major__ -D__clang_major__=17
// expect: ipuflow: this compiler is too old to have numbers and texts as arguments of templates; use g\+\+ 12, clang 18, or one that came later
#include <ipuflow/core.hpp>
