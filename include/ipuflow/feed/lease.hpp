// SPDX-License-Identifier: BSL-1.0
// Memory that several batches look at: each holds a lease of it, and the last one gives it back, in whichever thread
// that is.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::feed::impl {

template <class Atomics = queue::standard_atomics>
class basic_lease;

/// A type that can be leased.
template <class Atomics = queue::standard_atomics>
class basic_leased {
 public:
  virtual void give_back() noexcept = 0;

 protected:
  virtual ~basic_leased() = default;  // virtual for the sake of warnings alone: a friend could call it

 private:
  friend class basic_lease<Atomics>;
  typename Atomics::template atomic<std::size_t> holders_{0};
};

/// Copies share what is leased.
template <class Atomics>
class basic_lease {
 public:
  using leased = basic_leased<Atomics>;

  basic_lease() = default;
  explicit basic_lease(leased& held) : held_{&held} {
    held.holders_.store(1, std::memory_order_relaxed);  // no partner: no other thread knows of it yet
  }
  basic_lease(const basic_lease& other) : held_{other.held_} {
    // no partner: there is a holder already
    if (held_ != nullptr) held_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  basic_lease(basic_lease&& other) noexcept : held_{algorithms::exchange(other.held_, nullptr)} {}
  basic_lease& operator=(basic_lease other) noexcept {
    algorithms::swap(held_, other.held_);
    return *this;
  }
  ~basic_lease() {
    // partner: itself, in the other holders: what they read is read before the memory goes back
    if (held_ != nullptr && held_->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) held_->give_back();
  }

 private:
  leased* held_ = nullptr;
};

using leased = basic_leased<>;
using lease = basic_lease<>;

}  // namespace ipuflow::feed::impl
