// SPDX-License-Identifier: BSL-1.0
// Views that a pass reads or writes: `const auto [x, label] = pass.in;`, or `get<1>(pass.in)`. A `std::tuple` of views does the same
// with a dozen functions each, and a network has hundreds of passes: this has a constructor.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

namespace impl {

template <std::size_t Place, class View>
struct view_at {
  View view{};
};

template <class Places, class... View>
struct views_at;
template <>
struct views_at<std::index_sequence<>> {};
template <std::size_t... Place, class... View>
struct views_at<std::index_sequence<Place...>, View...> : view_at<Place, View>... {
  constexpr views_at() = default;
  constexpr views_at(View... view) : view_at<Place, View>{view}... {}
};

template <std::size_t Place, class View>
View type_at(const view_at<Place, View>&);

}  // namespace impl

template <class... View>
struct views : impl::views_at<std::index_sequence_for<View...>, View...> {
  using impl::views_at<std::index_sequence_for<View...>, View...>::views_at;
};

template <std::size_t Place, class View>
[[nodiscard]] constexpr View get(const impl::view_at<Place, View>& one) {
  return one.view;
}

}  // namespace ipuflow::nn

template <class... View>
struct std::tuple_size<ipuflow::nn::views<View...>> : std::integral_constant<std::size_t, sizeof...(View)> {};
template <std::size_t Place, class... View>
struct std::tuple_element<Place, ipuflow::nn::views<View...>> {
  using type = decltype(ipuflow::nn::impl::type_at<Place>(std::declval<const ipuflow::nn::views<View...>&>()));
};
