// SPDX-License-Identifier: BSL-1.0
// Checks that all elements of a feed have the extents of the first one, and none of them 0. The extents of a value are
// the sizes of what it holds: of a range, then of its items, which have to agree; of a tuple, of each of its fields; of
// anything else, none.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/feed/device/infeed_options.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

namespace ipuflow::feed {

template <class... Field>
class sample_batch;

namespace impl {

/// True of a batch of samples, whose last one may hold fewer: what takes it says whether it may.
template <class T>
inline constexpr bool is_sample_batch = false;
template <class... Field>
inline constexpr bool is_sample_batch<sample_batch<Field...>> = true;

template <class T>
concept tuple_like = requires { typename std::tuple_size<std::remove_cvref_t<T>>::type; } && !std::ranges::range<T>;

/// True of a std::array of plain items: one such tells for all.
template <class T>
inline constexpr bool size_is_constant = false;
template <class Item, std::size_t Size>
inline constexpr bool size_is_constant<std::array<Item, Size>> = std::is_arithmetic_v<Item>;

class fixed_shape {
 public:
  /// The first fault of this element, if any; the first element sets the extents.
  template <class Element>
  infeed_fault check(const Element& element) {
    found_ = {};
    extent_ = 0;
    visit(element);
    ++element_;
    return found_;
  }

  /// Extents of the first element.
  [[nodiscard]] const light_vector<std::size_t>& extents() const { return extents_; }

 private:
  template <class Value>
  void visit(const Value& value) {
    if constexpr (is_sample_batch<Value>) {
      return;
    } else if constexpr (std::ranges::sized_range<const Value>) {
      compare(static_cast<std::size_t>(std::ranges::size(value)));
      if constexpr (nested<std::ranges::range_value_t<const Value>>) visit_items(value);
    } else if constexpr (impl::tuple_like<Value>) {
      std::apply([this](const auto&... field) { (this->visit(field), ...); }, value);
    }
  }

  template <class Item>
  static constexpr bool nested = std::ranges::sized_range<const Item> || impl::tuple_like<Item>;

  template <class Range>
  void visit_items(const Range& items) {
    const std::size_t first = extent_;
    for (const auto& item : items) {
      extent_ = first;
      visit(item);
      if (found_ || impl::size_is_constant<std::ranges::range_value_t<const Range>>) break;
    }
  }

  void compare(std::size_t size) {
    const feed_place here{element_, extent_++};
    if (found_) return;
    if (size == 0) {
      found_ = {infeed_wrong::empty_dimension, 0, 1, here};
    } else if (here.extent == extents_.size()) {
      extents_.push_back(size);
    } else if (extents_[here.extent] != size) {
      found_ = {infeed_wrong::shape_changes, size, extents_[here.extent], here};
    }
  }

  light_vector<std::size_t> extents_;
  infeed_fault found_{};
  std::size_t element_ = 0;
  std::size_t extent_ = 0;
};

}  // namespace impl

}  // namespace ipuflow::feed
