// SPDX-License-Identifier: BSL-1.0
// A value that several hold, and the last of them destroys: a std::shared_ptr without what makes <memory> dear to compile.
#pragma once

#include <cstddef>
#include <type_traits>

namespace ipuflow {

/// Of any type: what is behind it is known to those who made it.
class shared_thing {
 public:
  constexpr shared_thing() = default;
  /// Takes over `what`, also where there is no memory left to count who holds it.
  shared_thing(void* what, void (*destroy)(void*)) {
    struct guard {
      void* what;
      void (*destroy)(void*);
      ~guard() { if (what != nullptr) destroy(what); }
    } held{what, destroy};
    holders_ = new holders{.what = what, .destroy = destroy};
    held.what = nullptr;
  }
  shared_thing(const shared_thing& other) noexcept : holders_{other.holders_} {
    if (holders_ != nullptr) __atomic_fetch_add(&holders_->count, 1, __ATOMIC_RELAXED);  // no partner: `other` holds it meanwhile
  }
  shared_thing(shared_thing&& other) noexcept : holders_{other.holders_} { other.holders_ = nullptr; }
  shared_thing& operator=(shared_thing other) noexcept {
    holders* const before = holders_;
    holders_ = other.holders_;
    other.holders_ = before;
    return *this;
  }
  ~shared_thing() {
    // Partner: that of every other holder. The last one sees all that they did.
    if (holders_ == nullptr || __atomic_fetch_sub(&holders_->count, 1, __ATOMIC_ACQ_REL) != 1) return;
    holders_->destroy(holders_->what);
    delete holders_;
  }

  [[nodiscard]] void* get() const noexcept { return holders_ == nullptr ? nullptr : holders_->what; }

 private:
  struct holders {
    void* what;
    void (*destroy)(void*);
    std::size_t count = 1;  // changed by the compiler's functions, since <atomic> is dear to compile
  };
  holders* holders_ = nullptr;
};

template <class T>
class shared {
  using value_type = std::remove_const_t<T>;

 public:
  constexpr shared() = default;
  explicit shared(value_type value)
      : thing_{new value_type(static_cast<value_type&&>(value)), [](void* what) { delete static_cast<value_type*>(what); }} {}
  template <class Other>
    requires(!__is_same(Other, T) && __is_same(const Other, T))
  shared(const shared<Other>& other) noexcept : thing_{other.thing()} {}

  [[nodiscard]] T* get() const noexcept { return static_cast<T*>(thing_.get()); }
  [[nodiscard]] T& operator*() const noexcept { return *get(); }
  [[nodiscard]] T* operator->() const noexcept { return get(); }
  [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }
  [[nodiscard]] const shared_thing& thing() const noexcept { return thing_; }

 private:
  shared_thing thing_;
};

template <class T>
shared(T) -> shared<T>;

}  // namespace ipuflow
