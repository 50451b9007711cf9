// SPDX-License-Identifier: BSL-1.0
// Some samples of a dataset: `| take(n)`, `| drop(n)`, and `| shard(k, of)`, which cuts a dataset into parts that differ
// by one sample at most: consecutive ones, or with `shard_by_stride(k, of)` every `of`-th from `k` on. Of a range, a
// shard is always the latter.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/interval.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <map_style Dataset>
class sliced : public dataset_view {
 public:
  constexpr sliced(Dataset base, std::size_t first, std::size_t count, std::size_t epoch = 0)
      : base_{std::move(base)}, first_{first}, count_{count}, epoch_{epoch} {}

  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return feed::sample_at(base_, first_ + index, epoch_ + epoch);
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, first_ + index, epoch_ + epoch);
  }
  [[nodiscard]] constexpr auto columns() const
    requires contiguous_samples<Dataset>
  {
    return feed::whole(base_).part(first_, count_).columns();
  }

 private:
  Dataset base_;
  std::size_t first_;
  std::size_t count_;
  std::size_t epoch_;
};

/// Every `step`-th sample from `first` on.
template <map_style Dataset>
class strided : public dataset_view {
 public:
  constexpr strided(Dataset base, std::size_t first, std::size_t step)
      : base_{std::move(base)}, first_{first}, step_{step} {}

  [[nodiscard]] constexpr std::size_t size() const { return share_of(base_.size(), first_, step_).count; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return feed::sample_at(base_, first_ + index * step_, epoch);
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, first_ + index * step_, epoch);
  }

 private:
  Dataset base_;
  std::size_t first_;
  std::size_t step_;
};

/// The first `count` samples; does not look for the one behind them.
struct first_samples : same_samples {
  std::size_t count;

  template <class At, class End>
  constexpr std::size_t begin(At&, const End&) const {
    return count;
  }
  template <class Base, class At, class End>
  constexpr void next(const Base&, At& at, const End&, std::size_t& left) const {
    if (--left > 0) ++at;
  }
};

/// Every `step`-th sample of a range from `first` on.
struct every_step : same_samples {
  std::size_t first;
  std::size_t step;

  template <class At, class End>
  constexpr std::size_t begin(At& at, const End& end) const {
    impl::skip(at, end, first);
    return 1;
  }
  template <class Base, class At, class End>
  constexpr void next(const Base&, At& at, const End& end, std::size_t&) const {
    impl::skip(at, end, step);
  }
};

}  // namespace impl

/// The first `count` samples, or all there are.
[[nodiscard]] constexpr auto take(std::size_t count) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const std::size_t size = d.size();
      return impl::sliced{std::move(d), 0, algorithms::min(count, size)};
    } else {
      return impl::ruled_range{std::move(d), impl::first_samples{{}, count}};
    }
  }};
}

/// All but the first `count` samples.
[[nodiscard]] constexpr auto drop(std::size_t count) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const std::size_t size = d.size();
      const std::size_t first = algorithms::min(count, size);
      return impl::sliced{std::move(d), first, size - first};
    } else {
      return impl::ruled_range{std::move(d), impl::every_step{{}, count, 1}};
    }
  }};
}

/// Share `index` of `count`.
[[nodiscard]] constexpr auto shard(std::size_t index, std::size_t count) {
  impl::check_share(index, count);
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const impl::interval part = impl::share_of(d.size(), index, count);
      return impl::sliced{std::move(d), part.first, part.count};
    } else {
      return impl::ruled_range{std::move(d), impl::every_step{{}, index, count}};
    }
  }};
}

/// Every `count`-th sample from `index` on. As many as `shard(index, count)` has: the first `size % count` shards have one
/// more than the others.
[[nodiscard]] constexpr auto shard_by_stride(std::size_t index, std::size_t count) {
  impl::check_share(index, count);
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return impl::strided{std::move(d), index, count};
    } else {
      return impl::ruled_range{std::move(d), impl::every_step{{}, index, count}};
    }
  }};
}

}  // namespace ipuflow::feed
