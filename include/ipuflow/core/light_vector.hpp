// SPDX-License-Identifier: BSL-1.0
// A vector like std::vector, at a fraction of the price to compile: a program for chips has two hundred kinds. Not for constants.
#pragma once

#include <ipuflow/core/algorithms.hpp>

#include <compare>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace ipuflow {

namespace arrays { template <class T> class light_vector; }
using arrays::light_vector;

/// Any other class of such elements in a row: `std::vector`, `std::array`, `std::span`.
template <class Array, class T>
concept contiguous_of = !__is_same(Array, light_vector<T>) && requires(const Array& a) {
  requires __is_same(std::remove_cvref_t<decltype(*a.data())>, T);
  a.size();
};

namespace detail {

// By size and alignment alone: code for all kinds.
[[gnu::noinline]] inline void* take_room(std::size_t count, std::size_t size, std::size_t alignment) {
  if (count > static_cast<std::size_t>(-1) / 2 / size) throw std::bad_array_new_length{};
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator new(count * size, std::align_val_t{alignment});
  return ::operator new(count * size);
}
inline void give_room(void* room, std::size_t alignment) noexcept {
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) return ::operator delete(room, std::align_val_t{alignment});
  ::operator delete(room);
}

}  // namespace detail

namespace arrays {

template <class T>
class light_vector {
 public:
  using value_type = T;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr light_vector() = default;  // the others delegate: where an element throws, the destructor takes those before it
  explicit light_vector(std::size_t size) : light_vector() {  // elements need not move
    if (size != 0) first_ = room_of(size), room_ = size;
    fill_to(size);
  }
  light_vector(std::size_t size, const T& value) : light_vector() { resize(size, value); }
  light_vector(std::initializer_list<T> values) : light_vector() { append(values.begin(), values.size()); }
  template <class Iterator, class Last>
    requires requires(Iterator& i, const Last& last) { *i, ++i, i != last; }
  light_vector(Iterator first, Last last) : light_vector() { append_range(first, last); }
  /// A copy of any array of such elements: a `std::vector`, a span. Of one with a name only where you say so: references to a copy dangle.
  template <class Array>
    requires contiguous_of<std::remove_cvref_t<Array>, T>
  explicit(std::is_lvalue_reference_v<Array>) light_vector(Array&& values) : light_vector() { append(values.data(), values.size()); }
  light_vector(const light_vector& other) : light_vector() { append(other.first_, other.size_); }
  constexpr light_vector(light_vector&& other) noexcept : first_{other.first_}, size_{other.size_}, room_{other.room_} {
    other.first_ = nullptr;
    other.size_ = other.room_ = 0;
  }
  light_vector& operator=(const light_vector& other) {
    if (this != &other) clear(), append(other.first_, other.size_);
    return *this;
  }
  light_vector& operator=(light_vector&& other) noexcept {
    return light_vector{static_cast<light_vector&&>(other)}.swap(*this), *this;
  }
  constexpr ~light_vector() {
    if (first_ == nullptr) return;
    if constexpr (__is_trivially_copyable(T)) give_back(first_);
    else destroy();
  }
  void swap(light_vector& other) noexcept {
    algorithms::swap(first_, other.first_);
    algorithms::swap(size_, other.size_);
    algorithms::swap(room_, other.room_);
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr std::size_t capacity() const noexcept { return room_; }
  [[nodiscard]] constexpr T* data() noexcept { return first_; }
  [[nodiscard]] constexpr const T* data() const noexcept { return first_; }
  [[nodiscard]] constexpr T* begin() noexcept { return first_; }
  [[nodiscard]] constexpr T* end() noexcept { return first_ + size_; }
  [[nodiscard]] constexpr const T* begin() const noexcept { return first_; }
  [[nodiscard]] constexpr const T* end() const noexcept { return first_ + size_; }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return first_[checked(index)]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return first_[checked(index)]; }
  [[nodiscard]] T& front() noexcept { return first_[checked(0)]; }
  [[nodiscard]] const T& front() const noexcept { return first_[checked(0)]; }
  [[nodiscard]] T& back() noexcept { return first_[checked(size_ - 1)]; }
  [[nodiscard]] const T& back() const noexcept { return first_[checked(size_ - 1)]; }

  /// A `std::vector` of the elements of what a function returned, and not of what has a name.
  template <contiguous_of<T> Array>
    requires requires { typename Array::allocator_type; }
  operator Array() && {
    Array made;
    made.reserve(size_);
    for (T& element : *this) made.push_back(static_cast<T&&>(element));
    return made;
  }

  void reserve(std::size_t room) { if (room > room_) move_to(room_of(room), room); }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(static_cast<T&&>(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ < room_) {
      ::new (static_cast<void*>(first_ + size_)) T(static_cast<Args&&>(args)...);
      return first_[size_++];
    }
    return grown_by(static_cast<Args&&>(args)...);
  }
  void pop_back() noexcept { shrink(size_ - 1); }
  void clear() noexcept { shrink(0); }

  void shrink_to_fit() {
    if (size_ == 0) return light_vector{}.swap(*this);
    if (size_ < room_) move_to(room_of(size_), size_);
  }

  void resize(std::size_t size) {
    if (size <= size_) return shrink(size);
    reserve_for(size - size_);
    fill_to(size);
  }
  void resize(std::size_t size, const T& value) {
    if (size <= size_) return shrink(size);
    const T kept(value);  // which may be one of these
    reserve_for(size - size_);
    fill_to(size, kept);
  }
  void assign(std::size_t size, const T& value) { clear(), resize(size, value); }
  template <class Iterator, class Last>
    requires requires(Iterator& i, const Last& last) { *i, ++i, i != last; }
  void assign(Iterator first, Last last) { clear(), append_range(first, last); }

  /// Before `at`; what stands there moves on. Returns the place of the first new one.
  T* insert(const T* at, T value) {
    const auto place = static_cast<std::size_t>(at - first_);
    emplace_back(static_cast<T&&>(value));
    return turned(place, size_ - 1);
  }
  template <class Iterator, class Last>
    requires requires(Iterator& i, const Last& last) { *i, ++i, i != last; }
  T* insert(const T* at, Iterator first, Last last) {
    const auto place = static_cast<std::size_t>(at - first_);
    const std::size_t before = size_;
    append_range(first, last);
    return turned(place, before);
  }
  T* insert(const T* at, std::initializer_list<T> values) { return insert(at, values.begin(), values.end()); }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* from, const T* to) {
    T* const first = first_ + (from - first_);
    if (from == to) return first;  // not onto themselves
    T* kept = first;
    for (T* i = first + (to - from); i != end(); ++i, ++kept) *kept = static_cast<T&&>(*i);
    shrink(static_cast<std::size_t>(kept - first_));
    return first;
  }

 private:
  [[nodiscard]] std::size_t checked(std::size_t index) const noexcept {
#if defined(_GLIBCXX_ASSERTIONS) || defined(_LIBCPP_HARDENING_MODE)  // where the standard library checks its own
    if (index >= size_) __builtin_trap();
#endif
    return index;
  }
  static T* room_of(std::size_t count) { return static_cast<T*>(detail::take_room(count, sizeof(T), alignof(T))); }
  static void give_back(T* room) noexcept { detail::give_room(room, alignof(T)); }
  void shrink(std::size_t size) noexcept {
    if constexpr (!__is_trivially_copyable(T))
      while (size_ > size) first_[--size_].~T();
    size_ = size;
  }
  /// A function of its own: every place that may throw has the end of what it made in it.
  [[gnu::noinline]] constexpr void destroy() noexcept { shrink(0), give_back(first_); }
  [[nodiscard]] std::size_t doubled(std::size_t more) const noexcept { return size_ + (more > size_ ? more : size_); }
  void reserve_for(std::size_t more) {
    if (more > room_ - size_) reserve(doubled(more));
  }
  // The elements to a larger room, which holds nothing that could throw: so either all move, or none.
  [[gnu::noinline]] void move_to(T* to, std::size_t room) noexcept {
    if constexpr (__is_trivially_copyable(T)) {
      if (size_ != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(first_), size_ * sizeof(T));
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        static_assert(noexcept(T(static_cast<T&&>(first_[i]))));
        ::new (static_cast<void*>(to + i)) T(static_cast<T&&>(first_[i]));
        first_[i].~T();
      }
    }
    give_back(first_);
    first_ = to;
    room_ = room;
  }
  template <class... Args>
  [[gnu::noinline]] T& grown_by(Args&&... args) {
    const std::size_t room = doubled(1);
    T* const to = room_of(room);
    struct guard {
      T* room;
      ~guard() { give_back(room); }
    } held{to};
    T* const made = ::new (static_cast<void*>(to + size_)) T(static_cast<Args&&>(args)...);  // first: it may be made of one of these
    held.room = nullptr;
    move_to(to, room);
    ++size_;
    return *made;
  }
  template <class... From>
  void fill_to(std::size_t size, const From&... from) {
    if constexpr (__is_trivially_copyable(T)) {  // a loop over nothing but elements, which becomes a memset
      T* const to = first_;
      for (std::size_t i = size_; i < size; ++i) ::new (static_cast<void*>(to + i)) T(from...);
      size_ = size;
    } else {
      for (; size_ < size; ++size_) ::new (static_cast<void*>(first_ + size_)) T(from...);
    }
  }
  void append(const T* from, std::size_t count) {
    if (count == 0) return;
    if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) __builtin_unreachable();  // for g++ -O3, which warns of such a memcpy
    reserve_for(count);
    if constexpr (__is_trivially_copyable(T)) {
      std::memcpy(static_cast<void*>(first_ + size_), static_cast<const void*>(from), count * sizeof(T));
      size_ += count;
    } else {
      for (std::size_t i = 0; i < count; ++i, ++size_) ::new (static_cast<void*>(first_ + size_)) T(from[i]);
    }
  }
  template <class Iterator, class Last>
  void append_range(Iterator& first, const Last& last) {
    if constexpr (__is_same(Iterator, T*) || __is_same(Iterator, const T*)) return append(first, static_cast<std::size_t>(last - first));
    if constexpr (requires { last - first; }) reserve_for(static_cast<std::size_t>(last - first));
    for (; first != last; ++first) emplace_back(*first);
  }
  // What was put behind `middle` goes to `place`.
  T* turned(std::size_t place, std::size_t middle) {
    if (place == middle) return first_ + place;
    algorithms::reverse(first_ + place, first_ + middle);
    algorithms::reverse(first_ + middle, end());
    algorithms::reverse(first_ + place, end());
    return first_ + place;
  }

  T* first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

// In the namespace of the class they are found for arrays only; as friends they would be a third of what each kind costs to compile.
template <class T, class Array>
  requires(__is_same(Array, light_vector<T>) || contiguous_of<Array, T>)
[[nodiscard]] bool operator==(const light_vector<T>& a, const Array& b) {
  const T *x = a.data(), *y = b.data();
  for (const T* const end = x + (a.size() == b.size() ? a.size() : 0); x != end; ++x, ++y)
    if (!(*x == *y)) return false;
  return a.size() == b.size();
}
template <class T>
  requires requires(const T& element) { element <=> element; }
[[nodiscard]] auto operator<=>(const light_vector<T>& a, const light_vector<T>& b) {
  using order = decltype(*a.data() <=> *b.data());
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (const order found = a.data()[i] <=> b.data()[i]; std::is_neq(found)) return found;
  return order{a.size() <=> b.size()};
}

template <class T, class Condition>
std::size_t erase_if(light_vector<T>& from, Condition condition) {
  T* kept = from.begin();
  for (T& element : from) {
    if (condition(element)) continue;
    if (kept != &element) *kept = static_cast<T&&>(element);
    ++kept;
  }
  const auto erased = static_cast<std::size_t>(from.end() - kept);
  from.erase(kept, from.end());
  return erased;
}

template <class Iterator, class Last>
light_vector(Iterator, Last) -> light_vector<std::remove_cvref_t<decltype(*Iterator{})>>;

}  // namespace arrays

}  // namespace ipuflow
