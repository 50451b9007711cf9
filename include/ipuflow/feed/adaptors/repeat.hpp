// SPDX-License-Identifier: BSL-1.0
// `| repeat(times)`: the samples over and over. Of a shuffled dataset every repetition has an order of its own. Without
// a number it never ends, and is a range.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/index_iterator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <map_style Dataset>
class repeated : public dataset_view {
 public:
  constexpr repeated(Dataset base, std::size_t times) : base_{std::move(base)}, times_{times} {
    const std::size_t most = base_.size() == 0 ? times : static_cast<std::size_t>(-1) / base_.size();
    if (times > most) throw_if(dataset_fault{dataset_wrong::too_many, times, most});
  }

  [[nodiscard]] constexpr std::size_t size() const { return base_.size() * times_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return feed::sample_at(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }

 private:
  Dataset base_;
  std::size_t times_;
};

/// A range again and again, begun anew whenever it ends; the state is how often.
struct repeated_passes : same_samples {
  std::size_t times;

  template <class At, class End>
  constexpr std::size_t begin(At&, const End&) const {
    return times;
  }
  template <class Base, class At, class End>
  constexpr void next(const Base& base, At& at, const End& end, std::size_t& left) const {
    if (++at == end && --left > 0) at = std::ranges::begin(base);
  }
};

inline constexpr std::size_t for_ever = static_cast<std::size_t>(-1);

/// The samples of a map-style dataset, epoch after epoch.
template <map_style Dataset>
class endless : public dataset_view {
 public:
  explicit endless(Dataset base) : epochs_{std::move(base), 1} {}
  auto begin() const { return index_iterator{epochs_, 0}; }
  no_end end() const { return {}; }

 private:
  repeated<Dataset> epochs_;
};

}  // namespace impl

/// All samples, `times` times.
[[nodiscard]] constexpr auto repeat(std::size_t times) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return impl::repeated{std::move(d), times};
    } else {
      return impl::ruled_range{std::move(d), impl::repeated_passes{{}, times}};
    }
  }};
}

/// All samples, again and again.
[[nodiscard]] constexpr auto repeat() {
  return adaptor{[]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      if (d.size() == 0) throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
      return impl::endless{std::move(d)};
    } else {
      return impl::ruled_range{std::move(d), impl::repeated_passes{{}, impl::for_ever}};
    }
  }};
}

}  // namespace ipuflow::feed
