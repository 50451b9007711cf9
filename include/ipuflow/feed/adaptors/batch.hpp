// SPDX-License-Identifier: BSL-1.0
// `| batch(n)`: a dataset whose samples are n samples each, with or without the last short one. Its elements are views,
// so nothing is copied; a loader looks through it and loads the samples themselves.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

namespace impl {

template <map_style Dataset>
class batched : public dataset_view {
 public:
  constexpr batched(Dataset base, std::size_t batch_size, tail last)
      : base_{std::move(base)}, batch_size_{batch_size}, last_{last} {}

  [[nodiscard]] constexpr std::size_t size() const { return steps_per_epoch(base_.size(), batch_size_, last_); }
  constexpr sliced<Dataset> operator[](std::size_t index) const { return sample(index, 0); }
  constexpr sliced<Dataset> sample(std::size_t index, std::size_t epoch) const {
    const std::size_t first = index * batch_size_;
    return {base_, first, algorithms::min(batch_size_, base_.size() - first), epoch};
  }

  /// The samples that are batched.
  [[nodiscard]] constexpr const Dataset& base() const { return base_; }
  [[nodiscard]] constexpr std::size_t batch_size() const { return batch_size_; }
  [[nodiscard]] constexpr tail last() const { return last_; }

 private:
  Dataset base_;
  std::size_t batch_size_;
  tail last_;
};

/// The samples between two places of a range.
template <class At, class End>
struct between : dataset_view {
  At first;
  End last;

  between(At from, End to) : first{std::move(from)}, last{std::move(to)} {}
  At begin() const { return first; }
  End end() const { return last; }
};

/// Batches of a range that can be read again: views of it.
struct viewed_batches : same_samples {
  std::size_t size;

  template <class Base, class At, class End>
  constexpr void next(const Base&, At& at, const End& end, std::size_t&) const {
    impl::skip(at, end, size);
  }
  template <class At, class End>
  constexpr auto read(const At& at, const End& end, std::size_t) const {
    return ruled_range{between{at, end}, first_samples{{}, size}};
  }
};

/// Batches of a range that can be read only once: its samples in a vector.
struct collected_batches {
  std::size_t size;

  template <class At, class End>
  auto begin(At& at, const End& end) const {
    std::vector<std::iter_value_t<At>> samples;
    for (; samples.size() < size && at != end; ++at) samples.push_back(*at);
    return samples;
  }
  template <class Base, class At, class End, class Samples>
  void next(const Base&, At& at, const End& end, Samples& samples) const {
    samples = begin(at, end);
  }
  template <class At, class End, class Samples>
  bool over(const At&, const End&, const Samples& samples) const {
    return samples.empty();
  }
  template <class At, class End, class Samples>
  const Samples& read(const At&, const End&, const Samples& samples) const {
    return samples;
  }
};

}  // namespace impl

/// `size` samples at a time; those that are left at the end make no batch, or a short one. Of a range the last short
/// batch cannot be dropped, since only its end shows which one it is; a loader can.
[[nodiscard]] constexpr auto batch(std::size_t size, tail last = tail::dropped) {
  if (size == 0) throw_if(dataset_fault{dataset_wrong::no_batch, size, 1});
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return impl::batched{std::move(d), size, last};
    } else if constexpr (std::ranges::forward_range<Dataset>) {
      return impl::ruled_range{std::move(d), impl::viewed_batches{{}, size}};
    } else {
      return impl::ruled_range{std::move(d), impl::collected_batches{size}};
    }
  }};
}

}  // namespace ipuflow::feed
