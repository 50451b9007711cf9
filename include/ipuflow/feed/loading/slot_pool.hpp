// SPDX-License-Identifier: BSL-1.0
// The slots of a loader. Free ones are a stack that any thread pushes to and only the loader's thread takes from, all
// of it at once: no lock, and since a slot holds the link to the next one, giving back allocates nothing and cannot
// fail. There are as many slots as are in use at once.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/lease.hpp>
#include <ipuflow/feed/loading/slot.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::feed::impl {

template <class Slot = slot, class Atomics = queue::standard_atomics>
class basic_slot_pool {
 public:
  /// A pool of slots with these fields.
  explicit basic_slot_pool(light_span<const element_kind* const> fields) : fields_{fields} {}
  basic_slot_pool(const basic_slot_pool&) = delete;
  basic_slot_pool& operator=(const basic_slot_pool&) = delete;
  ~basic_slot_pool() {
    while (made_ != nullptr) delete algorithms::exchange(made_, made_->made_before);
  }

  /// A free slot, or a new one. One thread at a time.
  Slot& take() {
    if (free_ == nullptr)
      free_ = returned_.exchange(nullptr, std::memory_order_acquire);  // partner: the release in give_back()
    if (free_ != nullptr) return *algorithms::exchange(free_, free_->next_free);
    made_ = new Slot{fields_, made_};
    ++size_;
    return *made_;
  }

  /// Puts a slot back. Any thread.
  void give_back(Slot& used) noexcept {
    Slot* last = returned_.load(std::memory_order_relaxed);  // no partner: the exchange sees whether it still is
    do {
      used.next_free = last;
      // partner: the acquire in take(), which sees what was last done with the slot, and the link
    } while (!returned_.compare_exchange_weak(last, &used, std::memory_order_release, std::memory_order_relaxed));
  }

  /// The number of slots.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  light_span<const element_kind* const> fields_;
  typename Atomics::template atomic<Slot*> returned_{nullptr};  // the last one that came back, linked to those before it
  Slot* free_ = nullptr;                                        // the taking thread's
  Slot* made_ = nullptr;                                        // the last one that was made, linked to those before it
  std::size_t size_ = 0;
};

using slot_pool = basic_slot_pool<>;

/// A slot that was taken from a pool, as a lease that keeps the pool.
inline lease lend(shared<slot_pool> from, slot& taken) {
  taken.return_to = [](void* pool, slot& used) noexcept { static_cast<slot_pool*>(pool)->give_back(used); };
  taken.home = from.thing();
  return lease{taken};
}

/// A step that is to be handed out; no slot: there is none.
struct leased_slot {
  slot* at = nullptr;
  lease held{};

  explicit operator bool() const { return at != nullptr; }
};

}  // namespace ipuflow::feed::impl
