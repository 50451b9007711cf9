// SPDX-License-Identifier: BSL-1.0
// A value or none: a std::optional at a fraction of the price to compile for each type. Not for constants.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace ipuflow {

template <class T>
class maybe {
 public:
  constexpr maybe() noexcept {}
  maybe(T value) { emplace(static_cast<T&&>(value)); }
  maybe(const maybe& other) { if (other.there_) emplace(*other); }
  maybe(maybe&& other) noexcept { if (other.there_) emplace(static_cast<T&&>(*other)); }
  maybe& operator=(const maybe& other) { return *this = maybe{other}; }
  maybe& operator=(maybe&& other) noexcept {
    if (this == &other) return *this;
    reset();
    if (other.there_) emplace(static_cast<T&&>(*other));
    return *this;
  }
  ~maybe() { reset(); }

  template <class... Args>
  T& emplace(Args&&... args) {
    reset();
    T* const made = ::new (static_cast<void*>(room_)) T(static_cast<Args&&>(args)...);
    there_ = true;
    return *made;
  }
  void reset() noexcept {
    if (!there_) return;
    there_ = false;
    get()->~T();
  }

  [[nodiscard]] bool has_value() const noexcept { return there_; }
  [[nodiscard]] explicit operator bool() const noexcept { return there_; }
  [[nodiscard]] T& operator*() noexcept { return *get(); }
  [[nodiscard]] const T& operator*() const noexcept { return *get(); }
  T* operator->() noexcept { return get(); }
  const T* operator->() const noexcept { return get(); }
  [[nodiscard]] T value_or(T other) const { return there_ ? **this : static_cast<T&&>(other); }

 private:
  T* get() noexcept { return std::launder(reinterpret_cast<T*>(room_)); }
  const T* get() const noexcept { return std::launder(reinterpret_cast<const T*>(room_)); }

  alignas(T) std::byte room_[sizeof(T)];
  bool there_ = false;
};

template <class T>
[[nodiscard]] bool operator==(const maybe<T>& a, const maybe<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
}

}  // namespace ipuflow
