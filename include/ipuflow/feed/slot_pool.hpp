// SPDX-License-Identifier: BSL-1.0
// The slots of a loader. Free ones circulate in a queue of Boost.Lockfree: whoever is done with one puts it back, the
// loader's thread takes one for the next step. There are as many as are in use at once; after that nothing is
// allocated.
#pragma once

#include <ipuflow/feed/slot.hpp>

#include <boost/lockfree/spsc_queue.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ipuflow::feed {

template <class... Field>
class slot_pool {
 public:
  using slot_type = slot<Field...>;

  slot_pool() : free_{std::make_unique<queue_type>(first_room)} {}

  /// A free slot, or a new one. One thread at a time.
  slot_type& take() {
    slot_type* taken = nullptr;
    if (free_->pop(taken)) return *taken;
    if (slots_.size() == room_) grow();
    return *slots_.emplace_back(std::make_unique<slot_type>());
  }

  /// Puts a slot back. Any thread.
  void give_back(slot_type& used) {
    lock_returns();
    free_->push(&used);                         // there is room for every slot
    returns_.clear(std::memory_order_release);  // partner: the acquire in lock_returns()
  }

  /// How many slots there are.
  std::size_t size() const { return slots_.size(); }

 private:
  using queue_type = boost::lockfree::spsc_queue<slot_type*>;
  static constexpr std::size_t first_room = 64;

  /// Boost's queue has one producer; batches may be destroyed by several threads, rarely at the same moment.
  void lock_returns() {
    while (returns_.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();  // partner: the releasing clears
  }

  void grow() {
    lock_returns();
    auto larger = std::make_unique<queue_type>(2 * room_);
    slot_type* moved = nullptr;
    while (free_->pop(moved)) larger->push(moved);
    free_ = std::move(larger);
    room_ *= 2;
    returns_.clear(std::memory_order_release);  // partner: the acquire in lock_returns()
  }

  std::size_t room_ = first_room;
  std::unique_ptr<queue_type> free_;
  std::atomic_flag returns_{};
  std::vector<std::unique_ptr<slot_type>> slots_;
};

/// A slot in somebody's hands. Copies share it; with the last one it goes back to its pool, which lives at least as
/// long.
template <class... Field>
class lease {
 public:
  using pool_type = slot_pool<Field...>;
  using slot_type = slot<Field...>;

  lease() = default;
  lease(std::shared_ptr<pool_type> pool, slot_type& held) : pool_{std::move(pool)}, held_{&held} {
    held_->holders.store(1, std::memory_order_relaxed);  // no partner: nobody else knows of it yet
  }
  lease(const lease& other) : pool_{other.pool_}, held_{other.held_} {
    if (held_ != nullptr)
      held_->holders.fetch_add(1, std::memory_order_relaxed);  // no partner: there is a holder already
  }
  lease(lease&& other) noexcept : pool_{std::move(other.pool_)}, held_{std::exchange(other.held_, nullptr)} {}
  lease& operator=(lease other) noexcept {
    pool_.swap(other.pool_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~lease() {
    // partner: itself, in the other holders: what they read is read before the slot goes back
    if (held_ != nullptr && held_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_->give_back(*held_);
  }

  /// Keeps the slot from going back.
  void release() noexcept { held_ = nullptr; }

 private:
  std::shared_ptr<pool_type> pool_;
  slot_type* held_ = nullptr;
};

}  // namespace ipuflow::feed
