// SPDX-License-Identifier: BSL-1.0
// After the first step nothing is allocated for a micro-batch: what a step allocates does not depend on their number.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define BUILT_WITH_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BUILT_WITH_SANITIZER
#endif
#ifndef BUILT_WITH_SANITIZER

#include "small_network.hpp"

#include <doctest/doctest.h>

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

using namespace ipuflow;

namespace {

/// What the third step allocates.
template <class T>
std::size_t of_a_step(const T& timetable, feed::output_mode how) {
  auto o = test::small_options();
  o.threads = 2;
  o.device_iterations = 3;
  o.outputs = how;
  train::session session{test::small_network, timetable, train::adamw{}, o};
  const test::made_up data{session.samples_per_step()};
  session(data), session(data);
  const std::size_t before = allocations;
  session(data);
  return allocations - before;
}

}  // namespace

TEST_CASE("a step of 64 micro-batches allocates what a step of 8 does") {
  for (const auto how : {feed::output_mode::all, feed::output_mode::sum, feed::output_mode::final}) {
    const std::size_t few = of_a_step(schedule::one_f_one_b(schedule::setup_of(test::small_network, 8)), how);
    const std::size_t many = of_a_step(schedule::one_f_one_b(schedule::setup_of(test::small_network, 64)), how);
    MESSAGE("allocations in a step of three runs: " << few);
    CHECK(many == few);
    CHECK(few <= 3 * 16);
  }
  CHECK(of_a_step(schedule::grouped(schedule::setup_of(test::small_network, 64)), feed::output_mode::all) <= 3 * 16);
}

#endif
