// SPDX-License-Identifier: BSL-1.0
// The atomics that rings and channels are made of. They are a template argument, so that the very source that runs in production
// also runs on a model of the C++ memory, which tries every interleaving and every stale value (test/queue/).
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace ipuflow::queue {

/// Bytes that the hardware moves between cores at once: data of the two sides must not share them.
inline constexpr std::size_t cache_line = 64;

/// Tells the core that this is a waiting loop; costs some ten nanoseconds.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The atomics in earnest; a test puts a model of the memory in their place.
struct standard_atomics {
  template <class T>
  using atomic = std::atomic<T>;
  using plain_error = std::exception_ptr;  // an exception that one thread leaves for another one

  static constexpr std::memory_order publish = std::memory_order_release;  // partner: observe, in the opposite side
  static constexpr std::memory_order observe = std::memory_order_acquire;  // partner: publish, in the opposite side
};

}  // namespace ipuflow::queue
