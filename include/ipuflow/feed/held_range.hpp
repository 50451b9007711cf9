// SPDX-License-Identifier: BSL-1.0
// Any range in the form in which adaptors and loaders hold it: cheap to copy, and begun through a constant. What has a
// name is referred to, a temporary is shared by all copies, and so is a copy of a view.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/dataset.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <class Range>
class borrowed_range : public dataset_view {
 public:
  explicit borrowed_range(Range& from) : from_{__builtin_addressof(from)} {}
  auto begin() const { return std::ranges::begin(*from_); }
  auto end() const { return std::ranges::end(*from_); }

 private:
  Range* from_;
};

template <class Range>
class shared_range : public dataset_view {
 public:
  explicit shared_range(Range from) : from_{ipuflow::share<Range>(std::move(from))} {}
  auto begin() const { return std::ranges::begin(*from_); }
  auto end() const { return std::ranges::end(*from_); }

 private:
  shared<Range> from_;
};

template <class Range>
  requires std::ranges::input_range<std::remove_reference_t<Range>>
auto held_range(Range&& r) {
  using plain = std::remove_cvref_t<Range>;
  if constexpr (std::derived_from<plain, dataset_view>) {
    return plain(std::forward<Range>(r));
  } else if constexpr (!std::is_lvalue_reference_v<Range> || (std::ranges::view<plain> && std::copyable<plain>)) {
    return shared_range<plain>{std::forward<Range>(r)};
  } else {
    return borrowed_range<std::remove_reference_t<Range>>{r};
  }
}

}  // namespace impl

}  // namespace ipuflow::feed
