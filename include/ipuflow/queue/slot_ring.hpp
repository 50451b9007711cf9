// SPDX-License-Identifier: BSL-1.0
// A ring of large slots, a batch of tensors each: made once, filled in place, read in place, returned in order. Nothing
// is copied and, once the slots have grown to their size, nothing is allocated: what is handed over is an index.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/queue/capacity.hpp>
#include <ipuflow/queue/queue_fault.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/ring_side.hpp>

#include <cstddef>

namespace ipuflow::queue {

template <class T, class Atomics = standard_atomics>
class slot_ring {
 public:
  using value_type = T;

  explicit slot_ring(std::size_t capacity) : slot_ring{capacity, [] { return T(); }} {}

  /// Every slot is what `make()` returns, called once for each.
  template <class Make>
  slot_ring(std::size_t capacity, Make make) : producer_{capacity, capacity}, consumer_{0, capacity} {
    slots_.reserve(checked_capacity<T>(capacity));
    while (slots_.size() < capacity) slots_.push_back(make());
  }
  slot_ring(const slot_ring&) = delete;
  slot_ring& operator=(const slot_ring&) = delete;

  [[nodiscard]] std::size_t capacity() const { return slots_.size(); }

  /// Producer only. Up to `count` slots side by side, as the consumer left them.
  [[nodiscard]] light_span<T> reserve(std::size_t count) { return run(producer_, consumer_, count); }

  /// Producer only. Hands over the first `count` reserved slots.
  void commit(std::size_t count) {
    if (count > producer_.known())
      throw_if(queue_fault{queue_wrong::commit_too_large, count, producer_.known()});
    producer_.advance(count);
  }

  /// Consumer only. Up to `count` filled slots side by side, the oldest first.
  [[nodiscard]] light_span<T> peek(std::size_t count) { return run(consumer_, producer_, count); }

  /// Consumer only. Gives the oldest `count` slots back.
  void release(std::size_t count) {
    if (count > consumer_.known())
      throw_if(queue_fault{queue_wrong::release_too_large, count, consumer_.known()});
    consumer_.advance(count);
  }

  /// Producer only: how many slots are free.
  [[nodiscard]] std::size_t writable() { return producer_.ready(consumer_, capacity()); }
  /// Consumer only: how many slots are filled.
  [[nodiscard]] std::size_t readable() { return consumer_.ready(producer_, capacity()); }

 private:
  light_span<T> run(ring_side<Atomics>& mine, const ring_side<Atomics>& other, std::size_t count) {
    const std::size_t first = mine.position() % capacity();
    const std::size_t size = algorithms::min(count, mine.ready(other, count), capacity() - first);
    return {slots_.data() + first, size};
  }

  ring_side<Atomics> producer_;
  ring_side<Atomics> consumer_;
  alignas(cache_line) dynamic_array<T> slots_;
};

}  // namespace ipuflow::queue
