// SPDX-License-Identifier: BSL-1.0
// The slots of a loader. Free ones are a stack that any thread pushes to and only the loader's thread takes from, all
// of it at once: no lock, and since a slot holds the link to the next one, giving back allocates nothing and cannot
// fail. There are as many slots as are in use at once.
#pragma once

#include <ipuflow/feed/loading/slot.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ipuflow::feed {

template <class... Field>
class slot_pool {
 public:
  using slot_type = slot<Field...>;

  /// A free slot, or a new one. One thread at a time.
  slot_type& take() {
    if (free_ == nullptr)
      free_ = returned_.exchange(nullptr, std::memory_order_acquire);  // partner: the release in give_back()
    if (free_ != nullptr) return *std::exchange(free_, free_->next_free);
    return *slots_.emplace_back(std::make_unique<slot_type>());
  }

  /// Puts a slot back. Any thread.
  void give_back(slot_type& used) noexcept {
    used.next_free = returned_.load(std::memory_order_relaxed);  // no partner: the exchange sees whether it still is
    // partner: the acquire in take(), which sees what was last done with the slot, and the link
    while (
        !returned_.compare_exchange_weak(used.next_free, &used, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  /// How many slots there are.
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

 private:
  std::atomic<slot_type*> returned_{nullptr};  // the last one that came back, linked to those before it
  slot_type* free_ = nullptr;                  // the taking thread's
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
