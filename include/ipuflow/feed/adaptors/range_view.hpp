// SPDX-License-Identifier: BSL-1.0
// Any range in the form that range-v3's views take: lvalues by reference, temporaries by shared ownership
// (range-v3 itself refuses containers without a name, and the views of the standard library).
#pragma once

#include <ipuflow/feed/dataset.hpp>

#include <range/v3/range/concepts.hpp>

#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <class Range>
class borrowed_range : public ranges::view_base {
 public:
  borrowed_range() = default;
  explicit borrowed_range(Range& from) : from_{&from} {}
  auto begin() const { return std::ranges::begin(*from_); }
  auto end() const { return std::ranges::end(*from_); }

 private:
  Range* from_ = nullptr;
};

template <class Range>
class shared_range : public ranges::view_base {
 public:
  shared_range() = default;
  explicit shared_range(Range&& from) : from_{std::make_shared<Range>(std::move(from))} {}
  auto begin() const { return std::ranges::begin(*from_); }
  auto end() const { return std::ranges::end(*from_); }

 private:
  std::shared_ptr<Range> from_;
};

/// The range as a view of range-v3.
template <class Range>
  requires std::ranges::input_range<std::remove_reference_t<Range>>
auto as_view(Range&& r) {
  using plain = std::remove_cvref_t<Range>;
  if constexpr (ranges::view_<plain>) {
    return plain(std::forward<Range>(r));
  } else if constexpr (std::is_lvalue_reference_v<Range>) {
    return borrowed_range<std::remove_reference_t<Range>>{r};
  } else {
    return shared_range<plain>{std::move(r)};
  }
}

}  // namespace ipuflow::feed
