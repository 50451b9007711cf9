// SPDX-License-Identifier: BSL-1.0
// Any range as a view of range-v3, which itself refuses containers without a name and the views of the standard
// library: `as_view(dataset | feed::take(9)) | ranges::views::stride(2)` is a dataset again. Nothing else of the library
// includes range-v3.
#pragma once

#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/held_range.hpp>

#include <range/v3/range/concepts.hpp>

#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <class Held>
class range_v3_view : public ranges::view_base {
 public:
  range_v3_view() = default;
  explicit range_v3_view(Held held) : from_{ipuflow::share<const Held>(std::move(held))} {}
  auto begin() const { return from_->begin(); }
  auto end() const { return from_->end(); }

 private:
  shared<const Held> from_;
};

}  // namespace impl

/// A view of a range: lvalues are referred to, a temporary is kept by all copies.
template <class Range>
auto as_view(Range&& r) {
  if constexpr (ranges::view_<std::remove_cvref_t<Range>>) {
    return std::remove_cvref_t<Range>(std::forward<Range>(r));
  } else {
    return impl::range_v3_view{impl::held_range(std::forward<Range>(r))};
  }
}

}  // namespace ipuflow::feed
