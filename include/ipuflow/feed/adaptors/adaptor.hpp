// SPDX-License-Identifier: BSL-1.0
// The closure behind `dataset | adaptor`: `adaptor{f}`, where `f` takes a dataset by value, in the form in which it
// can be kept, and returns another one, or the problem of doing so. Two adaptors compose to one adaptor, so a recipe
// can be made before its dataset; a problem anywhere in it is an error at the `|` that gives it a dataset.
#pragma once

#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/held_range.hpp>

#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <class Apply>
struct adaptor {
  Apply apply;
};

namespace detail {

template <class T>
inline constexpr bool is_adaptor = false;
template <class Apply>
inline constexpr bool is_adaptor<adaptor<Apply>> = true;

template <class Dataset, class Apply>
constexpr auto adapted(Dataset&& d, adaptor<Apply>& how) {
  using plain = std::remove_cvref_t<Dataset>;
  if constexpr (map_style<plain>) {
    return how.apply(feed::all(std::forward<Dataset>(d)));
  } else if constexpr (iterable_style<plain>) {
    return how.apply(impl::held_range(std::forward<Dataset>(d)));
  } else if constexpr (impl::is_problem<plain>) {
    return plain{};
  } else {
    return refused<dataset_wrong::no_dataset, plain>{};
  }
}

}  // namespace detail

/// The dataset, adapted; behind another adaptor, one that does both.
template <class Before, class Apply>
constexpr auto operator|(Before&& before, adaptor<Apply> how) {
  if constexpr (detail::is_adaptor<std::remove_cvref_t<Before>>) {
    return adaptor{[first = std::remove_cvref_t<Before>(std::forward<Before>(before)),
                    then = std::move(how)]<class Dataset>(Dataset d) mutable {
      return detail::adapted(detail::adapted(std::move(d), first), then);
    }};
  } else {
    auto result = detail::adapted(std::forward<Before>(before), how);
    if constexpr (impl::is_problem<decltype(result)>) {
      [[maybe_unused]] auto none = true ? result : nothing_wrong{};
    }
    return result;
  }
}

}  // namespace ipuflow::feed
