// SPDX-License-Identifier: BSL-1.0
// Memory that several batches look at: each holds a lease of it, and the last one gives it back, in whichever thread
// that is.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace ipuflow::feed::impl {

/// A type that can be leased.
class leased {
 public:
  virtual void give_back() noexcept = 0;

 protected:
  ~leased() = default;

 private:
  friend class lease;
  std::atomic<std::size_t> holders_{0};
};

/// Copies share what is leased.
class lease {
 public:
  lease() = default;
  explicit lease(leased& held) : held_{&held} {
    held.holders_.store(1, std::memory_order_relaxed);  // no partner: no other thread knows of it yet
  }
  lease(const lease& other) : held_{other.held_} {
    // no partner: there is a holder already
    if (held_ != nullptr) held_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  lease(lease&& other) noexcept : held_{std::exchange(other.held_, nullptr)} {}
  lease& operator=(lease other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~lease() {
    // partner: itself, in the other holders: what they read is read before the memory goes back
    if (held_ != nullptr && held_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) held_->give_back();
  }

 private:
  leased* held_ = nullptr;
};

}  // namespace ipuflow::feed::impl
