// SPDX-License-Identifier: BSL-1.0
// `| map(f)`: every sample is what `f` makes of it, computed when it is asked for, by the worker that asks. A sample
// that is a tuple is handed to `f` field by field, unless `f` takes it whole.
#pragma once

#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace detail {

/// True if a transform can be called with the fields of a sample.
template <class Function, class Sample, class Fields>
inline constexpr bool takes_fields_of = false;
template <class Function, class Sample, std::size_t... Field>
inline constexpr bool takes_fields_of<Function, Sample, std::index_sequence<Field...>> =
    std::is_invocable_v<const Function&, decltype(std::get<Field>(std::declval<Sample>()))...>;

template <class Sample>
concept has_fields = requires { std::tuple_size<std::remove_cvref_t<Sample>>::value; };

}  // namespace detail

namespace impl {

/// True if a transform can be called with a sample, or with its fields.
template <class Function, class Sample>
concept transforms =
    std::invocable<const Function&, Sample> || (detail::has_fields<Sample> && requires {
      requires detail::takes_fields_of<Function, Sample,
                                       std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Sample>>>>;
    });

/// True if a reference to a `Value` may lead into an argument that ends with the call.
template <class Value, class Argument>
inline constexpr bool may_end_with = !std::is_lvalue_reference_v<Argument> &&
                                     (std::is_class_v<std::remove_cvref_t<Argument>> || std::is_same_v<Value, std::remove_cvref_t<Argument>>);

/// Result of a call; not a reference that leads into what the call was given, as to a member of a sample that ends with it.
template <class Given, class... Argument>
using kept_result =
    std::conditional_t<std::is_rvalue_reference_v<Given> || (std::copy_constructible<std::remove_cvref_t<Given>> &&
                                                             (may_end_with<std::remove_cvref_t<Given>, Argument> || ...)),
                       std::remove_cvref_t<Given>, Given>;

template <class Function, class... Argument>
constexpr auto apply_to_all(const Function& f, std::tuple<Argument...> all)
    -> kept_result<std::invoke_result_t<const Function&, Argument...>, Argument...> {
  return std::apply(f, std::move(all));  // also a pointer to a member
}

/// Calls a transform with a sample, or with its fields.
template <class Function, class Sample>
constexpr decltype(auto) apply_to_sample(const Function& f, Sample&& sample) {
  if constexpr (std::invocable<const Function&, Sample>) {
    return impl::apply_to_all(f, std::forward_as_tuple(std::forward<Sample>(sample)));
  } else {
    // A batch of samples derives from a tuple, which from C++23 on std::apply does not take for one.
    return [&]<std::size_t... Field>(std::index_sequence<Field...>) -> decltype(auto) {
      return impl::apply_to_all(f, std::forward_as_tuple(std::get<Field>(std::forward<Sample>(sample))...));
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<Sample>>>{});
  }
}

template <map_style Dataset, class Function>
class mapped : public dataset_view {
 public:
  constexpr mapped(Dataset base, Function f) : base_{std::move(base)}, f_{std::move(f)} {}

  [[nodiscard]] constexpr std::size_t size() const { return base_.size(); }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return impl::apply_to_sample(f_, feed::sample_at(base_, index, epoch));
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, index, epoch);
  }

 private:
  Dataset base_;
  Function f_;
};

template <class Function>
struct mapped_samples : same_samples {
  Function f;

  template <class At, class End>
  constexpr decltype(auto) read(const At& at, const End&, std::size_t) const {
    return impl::apply_to_sample(f, *at);
  }
};

}  // namespace impl

/// The dataset of what `f` makes of every sample.
template <class Function>
[[nodiscard]] constexpr auto map(Function f) {
  return adaptor{[f = std::move(f)]<class Dataset>(Dataset d) mutable {
    if constexpr (!impl::transforms<Function, impl::raw_sample_t<Dataset>>) {
      return refused<dataset_wrong::no_call, Dataset>{};
    } else if constexpr (map_style<Dataset>) {
      return impl::mapped{std::move(d), std::move(f)};
    } else {
      return impl::ruled_range{std::move(d), impl::mapped_samples<Function>{{}, std::move(f)}};
    }
  }};
}

}  // namespace ipuflow::feed
