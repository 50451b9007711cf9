// SPDX-License-Identifier: BSL-1.0
// Some consecutive samples of a dataset: `| take(n)`, `| drop(n)`, and `| shard(k, of)`, which cuts a dataset into
// parts that differ by one sample at most. Of a range, a shard is every `of`-th sample from `k` on.
#pragma once

#include <ipuflow/feed/adaptors/range_view.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_wrong.hpp>

#include <range/v3/view/drop.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/take.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <map_style Dataset>
class section : public dataset_view {
 public:
  constexpr section(Dataset base, std::size_t first, std::size_t count, std::size_t epoch = 0)
      : base_{std::move(base)}, first_{first}, count_{count}, epoch_{epoch} {}

  constexpr std::size_t size() const { return count_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return sample_at(base_, first_ + index, epoch_ + epoch);
  }
  constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return origin_of(base_, first_ + index, epoch_ + epoch);
  }
  constexpr auto columns() const
    requires contiguous_samples<Dataset>
  {
    return whole(base_).part(first_, count_).columns();
  }

 private:
  Dataset base_;
  std::size_t first_;
  std::size_t count_;
  std::size_t epoch_;
};

/// A run of consecutive positions.
struct interval {
  std::size_t first = 0;
  std::size_t count = 0;

  friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// Share `index` of `samples` cut into `count` shares as even as possible: the first ones get one more.
constexpr interval share_of(std::size_t samples, std::size_t index, std::size_t count) {
  check_share(index, count);
  const std::size_t least = samples / count;
  const std::size_t longer = samples % count;
  return {index * least + std::min(index, longer), least + (index < longer ? 1 : 0)};
}

struct take_t {
  std::size_t count;
};
struct drop_t {
  std::size_t count;
};
struct shard_t {
  std::size_t index;
  std::size_t count;
};

/// The first `count` samples, or all there are.
constexpr take_t take(std::size_t count) { return {count}; }
/// All but the first `count` samples.
constexpr drop_t drop(std::size_t count) { return {count}; }
/// Share `index` of `count`.
constexpr shard_t shard(std::size_t index, std::size_t count) {
  check_share(index, count);
  return {index, count};
}

template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, take_t how) {
  const std::size_t size = d.size();
  return section{all(std::forward<Dataset>(d)), 0, std::min(how.count, size)};
}

template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, drop_t how) {
  const std::size_t size = d.size();
  const std::size_t first = std::min(how.count, size);
  return section{all(std::forward<Dataset>(d)), first, size - first};
}

template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, shard_t how) {
  const interval part = share_of(d.size(), how.index, how.count);
  return section{all(std::forward<Dataset>(d)), part.first, part.count};
}

template <class Range>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, take_t how) {
  return ranges::views::take(as_view(std::forward<Range>(r)), static_cast<std::ptrdiff_t>(how.count));
}

template <class Range>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, drop_t how) {
  return ranges::views::drop(as_view(std::forward<Range>(r)), static_cast<std::ptrdiff_t>(how.count));
}

template <class Range>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, shard_t how) {
  auto from = ranges::views::drop(as_view(std::forward<Range>(r)), static_cast<std::ptrdiff_t>(how.index));
  return ranges::views::stride(std::move(from), static_cast<std::ptrdiff_t>(how.count));
}

}  // namespace ipuflow::feed
