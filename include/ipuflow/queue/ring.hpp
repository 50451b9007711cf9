// SPDX-License-Identifier: BSL-1.0
// The concept of a ring: a bounded first-in first-out store between exactly one thread that fills it and one that
// empties it, neither of which ever waits for the other.
#pragma once

#include <ipuflow/core/light_span.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace ipuflow::queue {

/// The producer's side: items are written in place and handed over in order.
template <class Ring>
concept fillable = requires(Ring& r, std::size_t n) {
  { r.reserve(n) } -> std::convertible_to<light_span<typename Ring::value_type>>;  // up to n that lie side by side
  r.commit(n);                                                                     // the first n of them; forgets the rest
  { r.writable() } -> std::same_as<std::size_t>;                                   // how many fit
};

/// The consumer's side: items are read in place and given back in order.
template <class Ring>
concept drainable = requires(Ring& r, std::size_t n) {
  { r.peek(n) } -> std::convertible_to<light_span<typename Ring::value_type>>;  // up to n that lie side by side
  r.release(n);                                                                 // the first n of them
  { r.readable() } -> std::same_as<std::size_t>;                                // how many are there
};

/// Both, in place only.
template <class Ring>
concept place_ring = fillable<Ring> && drainable<Ring> && requires(const Ring& r) {
  { r.capacity() } -> std::same_as<std::size_t>;
};

/// The same with single items that move in and out.
template <class Ring>
concept ring = place_ring<Ring> && requires(Ring& r, typename Ring::value_type item) {
  { r.try_push(std::move(item)) } -> std::same_as<bool>;  // leaves the item alone if it is false
  { r.try_pop() } -> std::same_as<std::optional<typename Ring::value_type>>;
};

/// A type that a ring can hold.
template <class T>
concept queueable = std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>> && std::move_constructible<T>;

}  // namespace ipuflow::queue
