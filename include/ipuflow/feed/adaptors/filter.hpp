// SPDX-License-Identifier: BSL-1.0
// `| filter(predicate)`: the samples, or those with the fields, for which a predicate is true. Of a dataset with an index,
// every sample is read once when it is filtered, and a number is kept for each that passes. What passes is decided by
// epoch 0, and later epochs are that one again: shuffle, and transform at random, behind a filter.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <map_style Dataset>
class filtered : public dataset_view {
 public:
  template <class Predicate>
  filtered(Dataset base, const Predicate& keep) : base_{std::move(base)} {
    dynamic_array<std::size_t> kept;
    for (std::size_t i = 0; i < base_.size(); ++i) {
      if (impl::apply_to_sample(keep, feed::sample_at(base_, i, 0))) kept.push_back(i);
    }
    kept_ = share<const dynamic_array<std::size_t>>(std::move(kept));
  }

  [[nodiscard]] std::size_t size() const { return kept_->size(); }
  decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  decltype(auto) sample(std::size_t index, std::size_t) const { return feed::sample_at(base_, (*kept_)[index], 0); }
  [[nodiscard]] std::size_t origin(std::size_t index, std::size_t) const { return feed::origin_of(base_, (*kept_)[index], 0); }

 private:
  Dataset base_;
  shared<const dynamic_array<std::size_t>> kept_;
};

/// The samples of a range that pass. They are read twice: once to decide, once by the reader.
template <class Predicate>
struct passing_samples : same_samples {
  Predicate keep;

  template <class At, class End>
  constexpr std::size_t begin(At& at, const End& end) const {
    find(at, end);
    return 1;
  }
  template <class Base, class At, class End>
  constexpr void next(const Base&, At& at, const End& end, std::size_t&) const {
    ++at;
    find(at, end);
  }

 private:
  template <class At, class End>
  constexpr void find(At& at, const End& end) const {
    while (at != end && !impl::apply_to_sample(keep, *at)) ++at;
  }
};

/// True if a predicate can be called with a sample, or with its fields, and answers.
template <class Predicate, class Sample>
concept decides = transforms<Predicate, Sample> && requires(const Predicate& keep, Sample&& s) {
  { impl::apply_to_sample(keep, std::forward<Sample>(s)) } -> std::convertible_to<bool>;
};

}  // namespace impl

/// The samples for which the predicate is true.
template <class Predicate>
[[nodiscard]] constexpr auto filter(Predicate keep) {
  return adaptor{[keep = std::move(keep)]<class Dataset>(Dataset d) mutable {
    if constexpr (!impl::decides<Predicate, impl::raw_sample_t<Dataset>>) {
      return refused<dataset_wrong::no_predicate, Dataset>{};
    } else if constexpr (map_style<Dataset>) {
      return impl::filtered{std::move(d), keep};
    } else {
      return impl::ruled_range{std::move(d), impl::passing_samples<Predicate>{{}, std::move(keep)}};
    }
  }};
}

}  // namespace ipuflow::feed
