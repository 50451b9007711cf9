// SPDX-License-Identifier: BSL-1.0
// Adds one result to another: what has `+=` by that, ranges item by item, tuples field by field.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/iterators.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

enum class add_wrong : unsigned char { nothing, sizes_differ };
using add_fault = fault<add_wrong>;

/// `got` and `limit` are the sizes.
constexpr message_text sentence(const add_fault& f) {
  return filled("ipuflow: a result of {got} value{s} is added to one of {limit}; results that are summed up have one size",
                {{"got", f.got}, {"limit", f.limit}});
}

namespace impl {

template <class T>
constexpr void add_up(T& sum, const T& more) {
  if constexpr (requires { sum += more; }) {
    sum += more;
  } else if constexpr (std::ranges::sized_range<T>) {
    const auto size = static_cast<std::size_t>(std::ranges::size(more));
    const auto room = static_cast<std::size_t>(std::ranges::size(sum));
    if (size != room) throw_if(add_fault{add_wrong::sizes_differ, size, room});
    auto to = std::ranges::begin(sum);
    for (const auto& item : more) impl::add_up(*to++, item);
  } else {
    const auto fields = [&]<std::size_t... Field>(std::index_sequence<Field...>) {
      (impl::add_up(std::get<Field>(sum), std::get<Field>(more)), ...);
    };
    fields(std::make_index_sequence<std::tuple_size_v<T>>{});
  }
}

/// True if `add_up` is made for values of `T`: also for what they hold, down to numbers.
template <class T>
constexpr bool adds_up() {
  if constexpr (requires(T& sum, const T& more) { sum += more; }) {
    return true;
  } else if constexpr (std::ranges::sized_range<T>) {
    using item = std::ranges::range_value_t<T>;
    constexpr bool is_there = std::is_same_v<std::ranges::range_reference_t<T>, item&>;  // nothing in its place, as for a bool
    if constexpr (is_there && !std::is_same_v<item, T>) return impl::adds_up<item>();
    else return false;
  } else if constexpr (requires { typename std::tuple_size<T>::type; }) {
    return []<std::size_t... Field>(std::index_sequence<Field...>) {
      return (impl::adds_up<std::tuple_element_t<Field, T>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else {
    return false;
  }
}

/// A type that can be summed up.
template <class T>
concept summable = std::copyable<T> && impl::adds_up<T>();

}  // namespace impl

}  // namespace ipuflow::feed
