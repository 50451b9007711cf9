// SPDX-License-Identifier: BSL-1.0
// The host's ways to read an outfeed: what is there, one by one; and following it from a thread until it is closed.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/feed/device/outfeed_buffer.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::feed {

/// Holds the result it stands at; moving it out of there is fine.
template <class T>
class result_iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;

  result_iterator(outfeed_buffer<T>& from, bool waits) : from_{&from}, waits_{waits} { ++*this; }

  T& operator*() const { return *item_; }
  result_iterator& operator++() {
    item_.reset();
    const auto hold = [this](T&& next) { item_.emplace(std::move(next)); };
    if (waits_)
      from_->give(hold);
    else
      from_->try_give(hold);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const result_iterator& at, range_end) { return !at.item_; }

 private:
  outfeed_buffer<T>* from_;
  bool waits_;
  mutable std::optional<T> item_;
};

/// Follows an outfeed as long as it lives; it can be moved to the thread that reads.
template <class T>
class outfeed_reader {
 public:
  explicit outfeed_reader(outfeed_buffer<T>& from) : from_{&from} { from_->follow(true); }
  outfeed_reader(outfeed_reader&& other) noexcept : from_{algorithms::exchange(other.from_, nullptr)} {}
  outfeed_reader& operator=(outfeed_reader&&) = delete;
  ~outfeed_reader() {
    if (from_ != nullptr) from_->follow(false);
  }

  /// The next result, waiting for it: nothing only after the last one of a closed outfeed.
  [[nodiscard]] std::optional<T> next() { return from_->take(); }

  result_iterator<T> begin() { return {*from_, true}; }
  range_end end() const { return {}; }

 private:
  outfeed_buffer<T>* from_;
};

}  // namespace ipuflow::feed
