// SPDX-License-Identifier: BSL-1.0
// No word of the standard: g++ 12 and clang 19 take C++17 then.
// flags: -std=c++17
// expect: ipuflow: this is not compiled as C\+\+20; say -std=c\+\+20 or a later one, or link ipuflow::ipuflow in CMake
#include <ipuflow/train.hpp>
