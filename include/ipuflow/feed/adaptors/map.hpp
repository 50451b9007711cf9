// SPDX-License-Identifier: BSL-1.0
// `| map(f)`: every sample is what `f` makes of it, computed when it is asked for, by the worker that asks. A sample
// that is a tuple is handed to `f` field by field, unless `f` takes it whole.
#pragma once

#include <ipuflow/feed/adaptors/range_view.hpp>
#include <ipuflow/feed/dataset.hpp>

#include <range/v3/view/transform.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

/// Calls a transform with a sample, or with its fields.
template <class Function, class Sample>
constexpr decltype(auto) apply_to_sample(const Function& f, Sample&& sample) {
  if constexpr (std::invocable<const Function&, Sample>) {
    return std::invoke(f, std::forward<Sample>(sample));
  } else {
    return std::apply(f, std::forward<Sample>(sample));
  }
}

template <map_style Dataset, class Function>
class mapped : public dataset_view {
 public:
  constexpr mapped(Dataset base, Function f) : base_{std::move(base)}, f_{std::move(f)} {}

  constexpr std::size_t size() const { return base_.size(); }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return apply_to_sample(f_, sample_at(base_, index, epoch));
  }
  constexpr std::size_t origin(std::size_t index, std::size_t epoch) const { return origin_of(base_, index, epoch); }

 private:
  Dataset base_;
  Function f_;
};

template <class Function>
struct map_t {
  Function f;
};

template <class Function>
constexpr map_t<Function> map(Function f) {
  return {std::move(f)};
}

template <class Dataset, class Function>
  requires map_style<std::remove_cvref_t<Dataset>>
constexpr auto operator|(Dataset&& d, map_t<Function> how) {
  return mapped{all(std::forward<Dataset>(d)), std::move(how.f)};
}

template <class Range, class Function>
  requires iterable_style<std::remove_cvref_t<Range>>
auto operator|(Range&& r, map_t<Function> how) {
  return ranges::views::transform(as_view(std::forward<Range>(r)),
                                  [f = std::move(how.f)](auto&& sample) -> decltype(auto) {
                                    return apply_to_sample(f, std::forward<decltype(sample)>(sample));
                                  });
}

}  // namespace ipuflow::feed
