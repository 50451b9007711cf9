// SPDX-License-Identifier: BSL-1.0
// The end of a stream at its source: inputs in the form in which the first stage takes them, until the source has no more
// or a stop is requested.
#pragma once

#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// The values of an item in a tuple.
template <class Values, class Item>
constexpr Values as_values(Item&& item) {
  if constexpr (std::is_constructible_v<Values, Item>) {
    return Values(std::forward<Item>(item));
  } else {
    return Values{std::forward<Item>(item)};
  }
}

/// `Source` gives an optional, or a pointer; used by one thread at a time.
template <class Input, class Source>
class alignas(queue::cache_line) intake {
 public:
  intake(Source& source, stop_signal stop) : source_{source}, stop_{std::move(stop)} {}

  /// Gives `use` the next input; false if there is none, and then for good.
  template <class Use>
  bool take(Use use) {
    if (!ended_ && !stop_.stop_requested()) {
      if (auto&& item = source_()) {
        auto in = impl::as_values<Input>(*std::forward<decltype(item)>(item));
        use(in);
        return true;
      }
    }
    ended_ = true;
    return false;
  }

  /// The taker counts, since it may do so once for many.
  void count(std::size_t more) { taken_ += more; }
  [[nodiscard]] std::size_t taken() const { return taken_; }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  Source& source_;
  stop_signal stop_;
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace impl

}  // namespace ipuflow::run
