// SPDX-License-Identifier: BSL-1.0
// If a sanitizer is compiled in. Programs take some ten times as long then: tests that compare figures, by code that others run too,
// leave out what would take minutes, as do those that need an operator new or freed memory as they are without.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED_ADDRESSES 1
#elif defined(__has_feature)
#define SANITIZED_ADDRESSES __has_feature(address_sanitizer)
#else
#define SANITIZED_ADDRESSES 0
#endif

#if defined(__SANITIZE_THREAD__)
#define SANITIZED_THREADS 1
#elif defined(__has_feature)
#define SANITIZED_THREADS __has_feature(thread_sanitizer)
#else
#define SANITIZED_THREADS 0
#endif

inline constexpr bool sanitized_addresses = SANITIZED_ADDRESSES;
inline constexpr bool sanitized = SANITIZED_ADDRESSES || SANITIZED_THREADS;
