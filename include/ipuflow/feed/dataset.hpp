// SPDX-License-Identifier: BSL-1.0
// The concepts of a dataset. Map style: `size()` and `operator[](index)`, callable from several threads at once.
// Iterable: any range. Adaptors hold a dataset as `all_t`: a view of this library by value, other lvalues by
// reference, temporaries by shared ownership; so they are cheap to copy. A shuffled dataset has another order in every
// epoch.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/index_iterator.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

/// The base of datasets and ranges that are cheap to copy, so that others keep a copy of them.
struct dataset_view {};

template <class Dataset>
concept map_style = requires(const Dataset& d, std::size_t index) {
  { d.size() } -> std::convertible_to<std::size_t>;
  d[index];
};

template <class Dataset>
concept iterable_style = !map_style<Dataset> && std::ranges::input_range<Dataset>;

/// Sample `index` in the order of that epoch: what `operator[]` gives is epoch 0.
template <map_style Dataset>
constexpr decltype(auto) sample_at(const Dataset& d, std::size_t index, std::size_t epoch) {
  if constexpr (requires { d.sample(index, epoch); }) {
    return d.sample(index, epoch);
  } else if constexpr (std::ranges::view<Dataset> && std::ranges::random_access_range<const Dataset>) {
    return std::ranges::begin(d)[static_cast<std::ranges::range_difference_t<const Dataset>>(index)];  // some count with signs
  } else {
    return d[index];
  }
}

/// The place of a sample in the dataset below all adaptors.
template <map_style Dataset>
constexpr std::size_t origin_of(const Dataset& d, std::size_t index, std::size_t epoch) {
  if constexpr (requires { d.origin(index, epoch); }) {
    return d.origin(index, epoch);
  } else {
    return index;
  }
}

template <map_style Dataset>
using sample_t = std::remove_cvref_t<decltype(feed::sample_at(std::declval<const Dataset&>(), std::size_t{}, std::size_t{}))>;

namespace impl {

/// The type that a dataset or a range hands out, references kept.
template <class Dataset>
struct raw_sample {
  using type = std::ranges::range_reference_t<Dataset>;
};
template <map_style Dataset>
struct raw_sample<Dataset> {
  using type = decltype(feed::sample_at(std::declval<const Dataset&>(), std::size_t{}, std::size_t{}));
};
template <class Dataset>
using raw_sample_t = typename raw_sample<Dataset>::type;

}  // namespace impl

/// True for datasets whose samples lie one after the other in memory, so that no loader needs to copy them. They say so
/// by `columns()`; arrays, vectors and spans of values, or of arrays of numbers, do without saying.
template <class Dataset>
concept contiguous_samples =
    map_style<Dataset> && (requires(const Dataset& d) {
      d.columns();
    } || (std::ranges::contiguous_range<const Dataset> &&
          std::is_same_v<sample_batch_t<sample_t<Dataset>>, sample_batch<field_t<sample_t<Dataset>>>> &&  // one field
          sizeof(sample_t<Dataset>) == sizeof(typename impl::field_layout<field_t<sample_t<Dataset>>>::element_type) *
                                           impl::field_layout<field_t<sample_t<Dataset>>>::width));

/// All samples of such a dataset as one batch, which owns nothing.
template <contiguous_samples Dataset>
constexpr sample_batch_t<sample_t<Dataset>> whole(const Dataset& d) {
  using result = sample_batch_t<sample_t<Dataset>>;
  if constexpr (requires { d.columns(); }) {
    return result{d.size(), d.columns()};
  } else if constexpr (impl::field_layout<field_t<sample_t<Dataset>>>::is_tensor) {
    using element_type = typename impl::field_layout<field_t<sample_t<Dataset>>>::element_type;
    return result{d.size(), {{d.size() == 0 ? nullptr : impl::elements_in<element_type>(*std::ranges::data(d)).data(), d.size()}}};
  } else {
    return result{d.size(), {{std::ranges::data(d), d.size()}}};
  }
}

/// A dataset that its owner keeps alive.
template <class Dataset>
struct borrowed : dataset_view {
  const Dataset* from;

  explicit constexpr borrowed(const Dataset& d) : from{__builtin_addressof(d)} {}
  [[nodiscard]] constexpr std::size_t size() const { return from->size(); }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const { return feed::sample_at(*from, index, epoch); }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(*from, index, epoch);
  }
  [[nodiscard]] constexpr auto columns() const
    requires contiguous_samples<Dataset>
  {
    return feed::whole(*from).columns();
  }
};

/// A dataset that all copies of this keep.
template <class Dataset>
struct owned : dataset_view {
  shared<const Dataset> from;

  explicit owned(Dataset d) : from{ipuflow::share<const Dataset>(std::move(d))} {}
  [[nodiscard]] std::size_t size() const { return from->size(); }
  decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  decltype(auto) sample(std::size_t index, std::size_t epoch) const { return feed::sample_at(*from, index, epoch); }
  [[nodiscard]] std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(*from, index, epoch);
  }
  [[nodiscard]] auto columns() const
    requires contiguous_samples<Dataset>
  {
    return feed::whole(*from).columns();
  }
};

/// The dataset in the form in which adaptors and loaders hold it.
template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto all(Dataset&& d) {
  using plain = std::remove_cvref_t<Dataset>;
  if constexpr (std::derived_from<plain, dataset_view>) {
    return plain(std::forward<Dataset>(d));
  } else if constexpr (std::is_lvalue_reference_v<Dataset>) {
    return borrowed<plain>{d};
  } else {
    return owned<plain>{std::move(d)};
  }
}

template <class Dataset>
using all_t = decltype(feed::all(std::declval<Dataset>()));

namespace impl {

template <map_style Dataset>
class sample_range : public dataset_view {
 public:
  explicit constexpr sample_range(Dataset base) : base_{std::move(base)} {}
  [[nodiscard]] constexpr std::size_t size() const { return base_.size(); }
  index_iterator<Dataset> begin() const { return {base_, 0}; }
  index_iterator<Dataset> end() const { return {base_, size()}; }

 private:
  Dataset base_;
};

}  // namespace impl

/// The samples of a map-style dataset one by one, as a range.
template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto samples_of(Dataset&& d) {
  return impl::sample_range<all_t<Dataset>>{feed::all(std::forward<Dataset>(d))};
}

}  // namespace ipuflow::feed
