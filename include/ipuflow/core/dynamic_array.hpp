// SPDX-License-Identifier: BSL-1.0
// An array whose size is known only when it is made: working memory of analyses, storage of tables. It works in
// constant expressions, where it must not outlive them, and costs a fraction of what including <vector> costs.
#pragma once

#include <ipuflow/core/language.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow {

template <class T>
class dynamic_array {
 public:
  constexpr dynamic_array() = default;
  constexpr explicit dynamic_array(std::size_t size)
      : elements_{size == 0 ? nullptr : new T[size]{}}, size_{size}, room_{size} {}
  constexpr dynamic_array(std::size_t size, T value) : dynamic_array(size) {
    for (T& element : *this) element = value;
  }
  constexpr dynamic_array(const dynamic_array& other) : dynamic_array(other.size_) {
    for (std::size_t i = 0; i < size_; ++i) elements_[i] = other.elements_[i];
  }
  constexpr dynamic_array(dynamic_array&& other) noexcept : elements_{other.elements_}, size_{other.size_}, room_{other.room_} {
    other.elements_ = nullptr;
    other.size_ = other.room_ = 0;
  }
  // One for both, by value and noexcept, would make compilers take the assignment of a class with such a member for one that throws nothing.
  constexpr dynamic_array& operator=(const dynamic_array& other) {
    dynamic_array copy{other};
    return *this = static_cast<dynamic_array&&>(copy);
  }
  constexpr dynamic_array& operator=(dynamic_array&& other) noexcept {
    swap(elements_, other.elements_);
    swap(size_, other.size_);
    swap(room_, other.room_);
    return *this;
  }
  constexpr ~dynamic_array() {
    if constexpr (__is_trivially_copyable(T)) {
      delete[] elements_;
    } else if (elements_ != nullptr) {
      destroy(elements_);
    }
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return elements_; }
  [[nodiscard]] constexpr const T* data() const { return elements_; }
  constexpr T* begin() { return elements_; }
  constexpr T* end() { return elements_ + size_; }
  [[nodiscard]] constexpr const T* begin() const { return elements_; }
  [[nodiscard]] constexpr const T* end() const { return elements_ + size_; }
  constexpr T& operator[](std::size_t index) { return elements_[index]; }
  constexpr const T& operator[](std::size_t index) const { return elements_[index]; }
  constexpr T& front() { return elements_[0]; }
  [[nodiscard]] constexpr const T& front() const { return elements_[0]; }
  constexpr T& back() { return elements_[size_ - 1]; }
  [[nodiscard]] constexpr const T& back() const { return elements_[size_ - 1]; }

  friend constexpr bool operator==(const dynamic_array& a, const dynamic_array& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a.elements_[i] == b.elements_[i])) return false;
    return true;
  }

  constexpr void push_back(T value) {
    if (size_ == room_) grow(room_ < 8 ? 8 : room_ * 2);
    elements_[size_++] = static_cast<T&&>(value);
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  constexpr void reserve(std::size_t room) {
    if (room > room_) grow(room);
  }

 private:
  template <class U>
  static constexpr void swap(U& a, U& b) {
    U kept = a;
    a = b;
    b = kept;
  }
  // Functions of their own: both are slow anyway, and every place that may throw has the end of what it made in it.
  [[gnu::noinline]] static constexpr void destroy(T* elements) { delete[] elements; }
  [[gnu::noinline]] constexpr void grow(std::size_t room) {
    dynamic_array grown(room);  // which ends what it has where an element throws
    for (std::size_t i = 0; i < size_; ++i) grown.elements_[i] = static_cast<T&&>(elements_[i]);
    swap(elements_, grown.elements_);
    room_ = room;
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

}  // namespace ipuflow
