// SPDX-License-Identifier: BSL-1.0
// A value of one of several kinds, the storage of a step. Kinds that own memory are few; the others are copied as bytes. A
// `std::variant` of 18 kinds does the same, and makes tables of functions for each way to copy one, in every file that
// includes it: a tenth of what this part of the library cost to compile.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::ipu::impl {

template <class... Kind>
struct kind_list {};

/// The place of a kind among all; their number, if it is none of them.
template <class Kind, class... All>
constexpr std::size_t place_among() {
  constexpr bool same[]{std::is_same_v<Kind, All>...};
  std::size_t i = 0;
  while (i < sizeof...(All) && !same[i]) ++i;
  return i;
}

template <class... All>
constexpr std::size_t largest_of() {
  std::size_t largest = 0;
  for (const std::size_t size : {sizeof(All)...}) largest = size > largest ? size : largest;
  return largest;
}

template <class Owning, class Plain>
class step_kinds;

/// Of one kind, and nothing else becomes one; without a word, the first.
template <class First, class... Owning, class... Plain>
class step_kinds<kind_list<First, Owning...>, kind_list<Plain...>> {
 public:
  static constexpr std::size_t kinds = 1 + sizeof...(Owning) + sizeof...(Plain);
  template <class Kind>
  static constexpr std::size_t place = place_among<Kind, First, Owning..., Plain...>();
  template <std::size_t Place>
  using kind = std::tuple_element_t<Place, std::tuple<First, Owning..., Plain...>>;

  step_kinds() : step_kinds{First{}} {}
  template <class Kind>
    requires(place<Kind> < kinds)
  step_kinds(Kind given) : index_{place<Kind>} {
    ::new (static_cast<void*>(held_)) Kind{std::move(given)};
  }
  step_kinds(const step_kinds& other) : index_{other.index_} { take(other); }
  step_kinds(step_kinds&& other) noexcept : index_{other.index_} { take(other); }
  // Two, and not one by value: see dynamic_array.
  step_kinds& operator=(const step_kinds& other) { return *this = step_kinds{other}; }
  step_kinds& operator=(step_kinds&& other) noexcept {
    step_kinds taken{std::move(other)};  // first: it may be a part of what is destroyed
    destroy();
    index_ = taken.index_;
    take(taken);
    return *this;
  }
  ~step_kinds() { destroy(); }

  /// The place of its kind among all.
  [[nodiscard]] std::size_t index() const { return index_; }

  template <class Kind>
  [[nodiscard]] bool is() const {
    return index_ == place<Kind>;
  }
  /// The content of one that is known to be of this kind.
  template <class Kind>
  [[nodiscard]] Kind& as() {
    return *std::launder(reinterpret_cast<Kind*>(held_));
  }
  template <class Kind>
  [[nodiscard]] const Kind& as() const {
    return *std::launder(reinterpret_cast<const Kind*>(held_));
  }
  /// The content of one of this kind; null for another.
  template <class Kind>
  [[nodiscard]] Kind* get_if() {
    return is<Kind>() ? &as<Kind>() : nullptr;
  }
  template <class Kind>
  [[nodiscard]] const Kind* get_if() const {
    return is<Kind>() ? &as<Kind>() : nullptr;
  }

 private:
  static_assert((std::is_trivially_copyable_v<Plain> && ...), "copied as bytes");
  static_assert(std::is_nothrow_move_constructible_v<First> && (std::is_nothrow_move_constructible_v<Owning> && ...));

  template <class Kind>
  bool take_as(const step_kinds& other) {
    if (is<Kind>()) ::new (static_cast<void*>(held_)) Kind{other.template as<Kind>()};
    return is<Kind>();
  }
  template <class Kind>
  bool take_as(step_kinds& other) {
    if (is<Kind>()) ::new (static_cast<void*>(held_)) Kind{std::move(other.template as<Kind>())};
    return is<Kind>();
  }
  /// Copies what another of the same kind holds, or moves it from one that is not const.
  template <class Other>
  void take(Other& other) {
    if (!(take_as<First>(other) || ... || take_as<Owning>(other))) std::memcpy(held_, other.held_, sizeof held_);
  }

  template <class Kind>
  void destroy_as() {
    if (is<Kind>()) as<Kind>().~Kind();
  }
  void destroy() {
    destroy_as<First>();
    (destroy_as<Owning>(), ...);
  }

  std::size_t index_;
  alignas(First) alignas(Owning...) alignas(Plain...) std::byte held_[largest_of<First, Owning..., Plain...>()];
};

}  // namespace ipuflow::ipu::impl
