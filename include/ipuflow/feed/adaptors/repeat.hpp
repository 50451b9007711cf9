// SPDX-License-Identifier: BSL-1.0
// `| repeat(times)`: the samples over and over. Of a shuffled dataset every repetition has an order of its own. Without
// a number it never ends, and is a range.
#pragma once

#include <ipuflow/feed/adaptors/range_view.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_wrong.hpp>

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

  constexpr std::size_t size() const { return base_.size() * times_; }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return sample_at(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }
  constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return origin_of(base_, index % base_.size(), epoch * times_ + index / base_.size());
  }

 private:
  Dataset base_;
  std::size_t times_;
};

struct repeat_t {
  std::size_t times;
};
struct repeat_for_ever_t {};

constexpr repeat_t repeat(std::size_t times) { return {times}; }
constexpr repeat_for_ever_t repeat() { return {}; }

template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, repeat_t how) {
  return repeated{all(std::forward<Dataset>(d)), how.times};
}

template <class Dataset>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, repeat_for_ever_t) {
  if (d.size() == 0) throw_if(fault{dataset_wrong::empty, std::size_t{0}, std::size_t{0}, std::size_t{1}});
  return std::views::iota(std::size_t{0}) |
         std::views::transform([all_of = repeated{all(std::forward<Dataset>(d)), 1}](
                                   std::size_t index) -> decltype(auto) { return all_of.sample(index, 0); });
}

template <class Range>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, repeat_t how) {
  return ranges::views::join(
      ranges::views::repeat_n(as_view(std::forward<Range>(r)), static_cast<std::ptrdiff_t>(how.times)));
}

template <class Range>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, repeat_for_ever_t) {
  if constexpr (std::ranges::forward_range<Range>) {
    return ranges::views::cycle(as_view(std::forward<Range>(r)));
  } else {  // begun anew whenever it ends, as a loader
    return ranges::views::join(ranges::views::repeat(as_view(std::forward<Range>(r))));
  }
}

}  // namespace ipuflow::feed
