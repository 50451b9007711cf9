// SPDX-License-Identifier: BSL-1.0
// Some consecutive samples of a dataset: `| take(n)`, `| drop(n)`, and `| shard(k, of)`, which cuts a dataset into
// parts that differ by one sample at most. Of a range, a shard is every `of`-th sample from `k` on.
#pragma once

#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <range/v3/view/drop.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/take.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <map_style Dataset>
class sliced : public dataset_view {
 public:
  constexpr sliced(Dataset base, std::size_t first, std::size_t count, std::size_t epoch = 0)
      : base_{std::move(base)}, first_{first}, count_{count}, epoch_{epoch} {}

  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return sample_at(base_, first_ + index, epoch_ + epoch);
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return origin_of(base_, first_ + index, epoch_ + epoch);
  }
  [[nodiscard]] constexpr auto columns() const
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
[[nodiscard]] constexpr interval share_of(std::size_t samples, std::size_t index, std::size_t count) {
  check_share(index, count);
  const std::size_t least = samples / count;
  const std::size_t longer = samples % count;
  return {index * least + std::min(index, longer), least + (index < longer ? 1 : 0)};
}

/// The first `count` samples, or all there are.
[[nodiscard]] constexpr auto take(std::size_t count) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const std::size_t size = d.size();
      return sliced{std::move(d), 0, std::min(count, size)};
    } else {
      return ranges::views::take(std::move(d), static_cast<std::ptrdiff_t>(count));
    }
  }};
}

/// All but the first `count` samples.
[[nodiscard]] constexpr auto drop(std::size_t count) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const std::size_t size = d.size();
      const std::size_t first = std::min(count, size);
      return sliced{std::move(d), first, size - first};
    } else {
      return ranges::views::drop(std::move(d), static_cast<std::ptrdiff_t>(count));
    }
  }};
}

/// Share `index` of `count`.
[[nodiscard]] constexpr auto shard(std::size_t index, std::size_t count) {
  check_share(index, count);
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      const interval part = share_of(d.size(), index, count);
      return sliced{std::move(d), part.first, part.count};
    } else {
      auto from = ranges::views::drop(std::move(d), static_cast<std::ptrdiff_t>(index));
      return ranges::views::stride(std::move(from), static_cast<std::ptrdiff_t>(count));
    }
  }};
}

}  // namespace ipuflow::feed
