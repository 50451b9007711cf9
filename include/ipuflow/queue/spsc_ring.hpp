// SPDX-License-Identifier: BSL-1.0
// The ring of this library: single items and spans, any movable type, any capacity from 1. Slots are raw memory: an
// item lives in its slot from push to pop and nowhere else. See docs/queues.md for why it is fast and what that was
// measured at.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/lifetimes.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/queue/capacity.hpp>
#include <ipuflow/queue/queue_fault.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/ring_side.hpp>

#include <bit>
#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace ipuflow::queue {

template <class T, class Atomics = standard_atomics>
class spsc_ring {
 public:
  using value_type = T;

  explicit spsc_ring(std::size_t capacity)
      : consumer_{0, capacity}, capacity_{checked_capacity<T>(capacity)}, producer_{capacity, capacity} {
    mask_ = std::bit_ceil(capacity) - 1;
    slots_ = static_cast<T*>(::operator new(sizeof(T) * (mask_ + 1), alignment));
  }
  spsc_ring(const spsc_ring&) = delete;
  spsc_ring& operator=(const spsc_ring&) = delete;

  ~spsc_ring() {
    abandon(0);
    while (const std::size_t left = peek(capacity_).size()) release(left);
    ::operator delete(slots_, alignment);
  }

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// Producer only. False if the ring is full: then nothing was constructed and no argument was moved from.
  template <class... Arguments>
  [[nodiscard]] bool try_emplace(Arguments&&... arguments) {
    if (!producer_.ready(consumer_)) return false;
    if constexpr (!std::is_trivially_destructible_v<T> || !std::is_trivially_default_constructible_v<T>) abandon(0);
    const std::size_t position = producer_.position();
    fetch_to_write(position);
    ::new (static_cast<void*>(slot_at(position))) T(std::forward<Arguments>(arguments)...);
    producer_.advance_to(position + 1);
    return true;
  }
  [[nodiscard]] bool try_push(T&& item) { return try_emplace(std::move(item)); }
  [[nodiscard]] bool try_push(const T& item) { return try_emplace(item); }

  /// Consumer only. False if the ring is empty: then `into` is untouched. The fastest way, since g++ 12 passes
  /// optionals through memory.
  [[nodiscard]] bool try_pop(T& into)
    requires std::is_move_assignable_v<T>
  {
    if (!consumer_.ready(producer_)) return false;
    const std::size_t position = consumer_.position();
    T* const slot = slot_at(position);
    fetch_to_read(position);
    into = std::move(*slot);
    lifetimes::end(slot);
    consumer_.advance_to(position + 1);
    return true;
  }

  /// Consumer only. Empty if the ring is.
  [[nodiscard]] std::optional<T> try_pop() {
    std::optional<T> item;  // the one object returned, so that it is never copied
    if (consumer_.ready(producer_)) {
      const std::size_t position = consumer_.position();
      T* const slot = slot_at(position);
      fetch_to_read(position);
      item.emplace(std::move(*slot));
      lifetimes::end(slot);
      consumer_.advance_to(position + 1);
    }
    return item;
  }

  /// Producer only. Up to `count` default-initialised items side by side, to be filled and committed; all of them stay
  /// reserved until the next commit or push.
  [[nodiscard]] light_span<T> reserve(std::size_t count) {
    const std::size_t first = producer_.position();
    const std::size_t size = algorithms::min(count, producer_.ready(consumer_, count), until_wrap(first));
    T* const slot = slot_at(first);
    if (size > reserved_) {
      lifetimes::begin(slot + reserved_, size - reserved_);
      reserved_ = size;
    }
    return {slot, size};
  }

  /// Producer only. Hands over the first `count` reserved items and destroys the others.
  void commit(std::size_t count) {
    const std::size_t most = algorithms::min(reserved_, producer_.known());
    if (count > most) throw_if(queue_fault{queue_wrong::commit_too_large, count, most});
    abandon(count);
    producer_.advance(count);
  }

  /// Consumer only. Up to `count` items side by side, the oldest first; they stay in the ring until they are released.
  [[nodiscard]] light_span<T> peek(std::size_t count) {
    const std::size_t first = consumer_.position();
    return {slot_at(first), algorithms::min(count, consumer_.ready(producer_, count), until_wrap(first))};
  }

  /// Consumer only. The oldest item, which stays in the ring until it is released; nothing if there is none.
  [[nodiscard]] T* front() {
    if (!consumer_.ready(producer_)) return nullptr;
    fetch_to_read(consumer_.position());
    return slot_at(consumer_.position());
  }

  /// Consumer only. Destroys the oldest `count` items and gives their slots back.
  void release(std::size_t count) {
    if (count > consumer_.known())
      throw_if(queue_fault{queue_wrong::release_too_large, count, consumer_.known()});
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (std::size_t i = 0; i < count; ++i) lifetimes::end(slot_at(consumer_.position() + i));
    }
    consumer_.advance(count);
  }

  /// Producer only: whether one more item fits. Cheaper than `writable`, which always asks the other side.
  [[nodiscard]] bool has_room() { return producer_.ready(consumer_); }
  /// Producer only: how many items are known to fit, which is none only if none does. As cheap.
  [[nodiscard]] std::size_t room() { return producer_.ready(consumer_) ? producer_.known() : 0; }
  /// Producer only: how many items fit.
  [[nodiscard]] std::size_t writable() { return producer_.ready(consumer_, capacity_); }
  /// Consumer only: how many items are there.
  [[nodiscard]] std::size_t readable() { return consumer_.ready(producer_, capacity_); }

 private:
  static constexpr std::align_val_t alignment{algorithms::max(alignof(T), cache_line)};
  static constexpr std::size_t slots_per_line = algorithms::max<std::size_t>(cache_line / sizeof(T), 1);
  static constexpr std::size_t lines_ahead_of_writing = slots_per_line > 1 ? 8 : 24;  // that go at the pace of items
  static constexpr std::size_t lines_ahead_of_reading = 4;

  T* slot_at(std::size_t position) const { return slots_ + (position & mask_); }
  std::size_t until_wrap(std::size_t position) const { return mask_ + 1 - (position & mask_); }

  /// Both ask for the lines of a later slot while this one is used, since the other core has to give them up first;
  /// only for slots that it is known to be done with.
  [[gnu::always_inline]] void fetch_to_write(std::size_t position) const {
    fetch<lines_ahead_of_writing, true>(producer_, position);
  }
  /// Items that fill lines come early enough without being asked for.
  [[gnu::always_inline]] void fetch_to_read(std::size_t position) const {
    if constexpr (slots_per_line > 1) fetch<lines_ahead_of_reading, false>(consumer_, position);
  }
  template <std::size_t LinesAhead, bool Writes>
  [[gnu::always_inline]] void fetch(const ring_side<Atomics>& side, std::size_t position) const {
    constexpr std::size_t ahead = LinesAhead * cache_line / sizeof(T);
    if constexpr (ahead > 0) {
      if (position % slots_per_line != 0 || side.known() <= ahead) return;
      const auto* const line = reinterpret_cast<const std::byte*>(slot_at(position + ahead));
      for (std::size_t offset = 0; offset < sizeof(T); offset += cache_line) __builtin_prefetch(line + offset, Writes);
    }
  }

  void abandon(std::size_t kept) {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (; reserved_ > kept; --reserved_) lifetimes::end(slot_at(producer_.position() + reserved_ - 1));
    }
    reserved_ = 0;
  }

  // The consumer stands first, since it has more to do with an item: short offsets make short loops.
  ring_side<Atomics> consumer_;
  alignas(cache_line) T* slots_ = nullptr;  // never written after construction, so both sides keep a copy of this line
  std::size_t mask_ = 0;
  std::size_t capacity_;
  ring_side<Atomics> producer_;
  alignas(cache_line) std::size_t reserved_ = 0;  // the producer's
};

}  // namespace ipuflow::queue
