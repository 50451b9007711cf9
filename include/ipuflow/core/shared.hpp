// SPDX-License-Identifier: BSL-1.0
// A constant that several hold, and the last of them destroys: a std::shared_ptr without what makes <memory> dear to compile.
#pragma once

#include <cstddef>

namespace ipuflow {

/// Of any type: what is behind it is known to those who made it.
class shared_thing {
 public:
  constexpr shared_thing() = default;
  /// Takes over `what`, also where there is no memory left to count who holds it.
  shared_thing(const void* what, void (*destroy)(const void*)) {
    struct guard {
      const void* what;
      void (*destroy)(const void*);
      ~guard() { if (what != nullptr) destroy(what); }
    } held{what, destroy};
    owner_ = new owner{.what = what, .destroy = destroy};
    held.what = nullptr;
  }
  shared_thing(const shared_thing& other) noexcept : owner_{other.owner_} {
    if (owner_ != nullptr) __atomic_fetch_add(&owner_->holders, 1, __ATOMIC_RELAXED);  // no partner: `other` holds it meanwhile
  }
  shared_thing(shared_thing&& other) noexcept : owner_{other.owner_} { other.owner_ = nullptr; }
  shared_thing& operator=(shared_thing other) noexcept {
    owner* const before = owner_;
    owner_ = other.owner_;
    other.owner_ = before;
    return *this;
  }
  ~shared_thing() {
    // Partner: that of every other holder. The last one sees all that they did.
    if (owner_ == nullptr || __atomic_fetch_sub(&owner_->holders, 1, __ATOMIC_ACQ_REL) != 1) return;
    owner_->destroy(owner_->what);
    delete owner_;
  }

  [[nodiscard]] const void* get() const noexcept { return owner_ == nullptr ? nullptr : owner_->what; }

 private:
  struct owner {
    const void* what;
    void (*destroy)(const void*);
    std::size_t holders = 1;  // of __atomic: <atomic> costs as much as this file's users pay for <algorithm>
  };
  owner* owner_ = nullptr;
};

template <class T>
class shared {
 public:
  constexpr shared() = default;
  explicit shared(T value) : thing_{new T(static_cast<T&&>(value)), [](const void* what) { delete static_cast<const T*>(what); }} {}

  [[nodiscard]] const T* get() const noexcept { return static_cast<const T*>(thing_.get()); }
  [[nodiscard]] const T& operator*() const noexcept { return *get(); }
  [[nodiscard]] const T* operator->() const noexcept { return get(); }
  [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }
  [[nodiscard]] const shared_thing& thing() const noexcept { return thing_; }

 private:
  shared_thing thing_;
};

}  // namespace ipuflow
