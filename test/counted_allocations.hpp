// SPDX-License-Identifier: BSL-1.0
// The program's operator new, counting. For one file of a test program; sanitizers bring an operator new of their own,
// so what needs this stands in `#ifdef COUNTS_ALLOCATIONS`.
#pragma once

#include "sanitized.hpp"

#if !SANITIZED_ADDRESSES && !SANITIZED_THREADS
#define COUNTS_ALLOCATIONS

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

[[gnu::noinline]] void release(void* memory) { std::free(memory); }  // inlined, g++ would take it for a mismatch

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

#endif
