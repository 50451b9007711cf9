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
  shared_thing(void* what, void (*destroy)(void*)) : shared_thing{what, destroy, what} {}
  /// The same of what is destroyed with something else, `kept`.
  shared_thing(void* what, void (*destroy)(void*), void* kept) {
    struct guard {
      void* kept;
      void (*destroy)(void*);
      ~guard() { if (kept != nullptr) destroy(kept); }
    } held{kept, destroy};
    holders_ = new holders{.what = what, .kept = kept, .destroy = destroy};
    held.kept = nullptr;
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
    holders_->destroy(holders_->kept);
    delete holders_;
  }

  [[nodiscard]] void* get() const noexcept { return holders_ == nullptr ? nullptr : holders_->what; }

 private:
  struct holders {
    void* what;
    void* kept;
    void (*destroy)(void*);
    std::size_t count = 1;  // changed by the compiler's functions, since <atomic> is dear to compile
  };
  holders* holders_ = nullptr;
};

namespace detail {

/// Another counted pointer: a `std::shared_ptr<T>`.
template <class Pointer, class T>
concept counted_pointer_to = requires(const Pointer& p, T*& to) {
  typename Pointer::element_type;
  p.use_count();
  to = p.get();
};

}  // namespace detail

/// It also knows where the value is, since channels ask for that at every item.
template <class T>
class shared {
  using value_type = std::remove_const_t<T>;

 public:
  using element_type = T;

  constexpr shared() = default;
  constexpr shared(std::nullptr_t) noexcept {}
  template <class Value>
    requires(__is_same(Value, value_type))
  explicit shared(Value value) : shared{new Value(static_cast<Value&&>(value))} {}
  /// Takes it over.
  explicit shared(value_type* made)
      : thing_{made, [](void* what) { delete static_cast<value_type*>(what); }}, at_{made} {}
  shared(const shared&) noexcept = default;
  shared(shared&& other) noexcept : thing_{static_cast<shared_thing&&>(other.thing_)}, at_{other.at_} { other.at_ = nullptr; }
  shared& operator=(shared other) noexcept {
    at_ = other.at_;
    thing_ = static_cast<shared_thing&&>(other.thing_);
    return *this;
  }
  template <class Other>
    requires(!__is_same(Other, T) && (__is_same(const Other, T) || __is_same(const void, T)))
  shared(const shared<Other>& other) noexcept : thing_{other.thing()}, at_{other.get()} {}
  /// Holds a copy of it, and what that points to.
  template <class Pointer>
    requires detail::counted_pointer_to<Pointer, T>
  shared(Pointer other) : thing_{of_others(static_cast<Pointer&&>(other))}, at_{static_cast<T*>(thing_.get())} {}
  /// A `std::shared_ptr` that holds this.
  template <class Pointer>
    requires(detail::counted_pointer_to<Pointer, T> && requires(T* what, void (*end)(T*)) { Pointer{what, end}; })
  operator Pointer() const {
    return at_ == nullptr ? Pointer{} : Pointer{at_, [held = thing_](T*) {}};
  }

  [[nodiscard]] T* get() const noexcept { return at_; }
  [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept { return *at_; }
  [[nodiscard]] T* operator->() const noexcept { return at_; }
  [[nodiscard]] explicit operator bool() const noexcept { return at_ != nullptr; }
  [[nodiscard]] friend bool operator==(const shared& a, const shared& b) noexcept { return a.at_ == b.at_; }
  [[nodiscard]] const shared_thing& thing() const noexcept { return thing_; }

 private:
  template <class Pointer>
  static shared_thing of_others(Pointer other) {
    auto* const what = const_cast<value_type*>(other.get());
    if (what == nullptr) return {};
    Pointer* const copy = new Pointer(static_cast<Pointer&&>(other));
    return {what, [](void* kept) { delete static_cast<Pointer*>(kept); }, copy};
  }

  shared_thing thing_;
  T* at_ = nullptr;
};

template <class T>
shared(T) -> shared<T>;

/// A new value, made in its place.
template <class T, class... Args>
[[nodiscard]] shared<T> share(Args&&... args) {
  return shared<T>{new std::remove_const_t<T>(static_cast<Args&&>(args)...)};
}

}  // namespace ipuflow
