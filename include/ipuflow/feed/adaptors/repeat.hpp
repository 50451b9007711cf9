// SPDX-License-Identifier: BSL-1.0
// `| repeat(times)`: the samples over and over. Of a shuffled dataset every repetition has an order of its own. Without
// a number it never ends, and is a range.
#pragma once

#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <range/v3/view/cycle.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/repeat.hpp>
#include <range/v3/view/repeat_n.hpp>

#include <cstddef>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <map_style Dataset>
class repeated : public dataset_view {
 public:
  constexpr repeated(Dataset base, std::size_t times) : base_{std::move(base)}, times_{times} {}

  [[nodiscard]] constexpr std::size_t size() const { return base_.size() * times_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return sample_at(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return origin_of(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }

 private:
  Dataset base_;
  std::size_t times_;
};

/// All samples, `times` times.
[[nodiscard]] constexpr auto repeat(std::size_t times) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return repeated{std::move(d), times};
    } else {
      return ranges::views::join(ranges::views::repeat_n(std::move(d), static_cast<std::ptrdiff_t>(times)));
    }
  }};
}

/// All samples, again and again.
[[nodiscard]] constexpr auto repeat() {
  return adaptor{[]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      if (d.size() == 0) throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
      return std::views::iota(std::size_t{0}) |
             std::views::transform([all_of = repeated{std::move(d), 1}](std::size_t index) -> decltype(auto) {
               return all_of.sample(index, 0);
             });
    } else if constexpr (std::ranges::forward_range<Dataset>) {
      return ranges::views::cycle(std::move(d));
    } else {  // begun anew whenever it ends, as a loader
      return ranges::views::join(ranges::views::repeat(std::move(d)));
    }
  }};
}

}  // namespace ipuflow::feed
