// SPDX-License-Identifier: BSL-1.0
// The language that the library is written in, asked for before anything that needs it: what is wrong with a command line is a
// sentence then, and not what a compiler makes of the first concept.
#pragma once

#if defined(__clang__) ? !defined(__apple_build_version__) && __clang_major__ < 18 : defined(__GNUC__) && __GNUC__ < 12
#error "ipuflow: this compiler is too old to have numbers and texts as arguments of templates; use g++ 12, clang 18, or one that came later"
#endif
#if __cplusplus < 202002L
#error "ipuflow: this is not compiled as C++20; say -std=c++20 or a later one, or link ipuflow::ipuflow in CMake"
#endif
#if __SIZEOF_SIZE_T__ < 8
#error "ipuflow: a std::size_t of 32 bits does not hold what the library counts; compile for a processor of 64 bits, without -m32"
#endif
#ifndef __cpp_exceptions
#error "ipuflow: faults are reported by exceptions, which are switched off; compile without -fno-exceptions"
#endif
