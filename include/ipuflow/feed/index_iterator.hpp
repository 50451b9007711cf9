// SPDX-License-Identifier: BSL-1.0
// Goes through what has an index: the samples of a batch, or of a dataset. It refers to what it goes through.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed::impl {

template <class Indexed>
class index_iterator {
 public:
  using reference = decltype(std::declval<const Indexed&>()[std::size_t{}]);
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;

  index_iterator() = default;
  index_iterator(const Indexed& from, std::size_t at) : from_{&from}, at_{at} {}

  reference operator*() const { return (*from_)[at_]; }
  index_iterator& operator++() {
    ++at_;
    return *this;
  }
  index_iterator operator++(int) { return {*from_, at_++}; }
  friend bool operator==(const index_iterator& a, const index_iterator& b) { return a.at_ == b.at_; }

 private:
  const Indexed* from_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace ipuflow::feed::impl
