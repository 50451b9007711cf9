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
    for (const auto& item : more) add_up(*to++, item);
  } else {
    const auto fields = [&]<std::size_t... Field>(std::index_sequence<Field...>) {
      (add_up(std::get<Field>(sum), std::get<Field>(more)), ...);
    };
    fields(std::make_index_sequence<std::tuple_size_v<T>>{});
  }
}

/// A type that can be summed up.
template <class T>
concept summable = std::copyable<T> && (requires(T& sum, const T& more) { sum += more; } || std::ranges::sized_range<T> ||
                                        requires { typename std::tuple_size<T>::type; });

}  // namespace impl

}  // namespace ipuflow::feed
