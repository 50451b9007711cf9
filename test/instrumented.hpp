// SPDX-License-Identifier: BSL-1.0
// Code that AddressSanitizer or ThreadSanitizer watches runs some ten times slower: tests that repeat the same paths do so less there.
#pragma once

namespace ipuflow::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_instrumented = true;
#elif defined(__has_feature)
inline constexpr bool is_instrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool is_instrumented = false;
#endif

}  // namespace ipuflow::test
