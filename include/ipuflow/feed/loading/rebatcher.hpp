// SPDX-License-Identifier: BSL-1.0
// Puts steps together from batches of any sizes, in order, so that only the very last one can be short. A batch that is
// a whole step already is passed on as it is.
#pragma once

#include <ipuflow/feed/loading/slot_pool.hpp>
#include <ipuflow/feed/sample_batch.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace ipuflow::feed {

template <class Batch>
class rebatcher;

template <class... Field>
class rebatcher<sample_batch<Field...>> {
 public:
  using batch_type = sample_batch<Field...>;
  using pool_type = slot_pool<Field...>;

  /// Makes steps of so many samples, in slots of that pool.
  rebatcher(std::size_t step, std::shared_ptr<pool_type> pool) : step_{step}, pool_{std::move(pool)} {}

  /// The next step, made of what `fetch()` gives until it gives nothing; then the short one that is left, if any.
  template <class Fetch>
  [[nodiscard]] std::optional<batch_type> next(Fetch fetch) {
    slot<Field...>* into = nullptr;
    lease<Field...> held;
    std::size_t filled = 0;
    while (filled < step_) {
      if (used_ == rest_.size() && !refill(fetch)) break;
      if (filled == 0 && used_ == 0 && rest_.size() == step_) {
        return std::exchange(rest_, batch_type{});
      }
      if (into == nullptr) {
        into = &pool_->take();
        held = lease{pool_, *into};
        into->prepare_some(step_, widths(rest_));
      }
      for (; filled < step_ && used_ < rest_.size(); ++filled, ++used_) {
        into->prepare_next(filled, step_);
        into->store(filled, rest_[used_]);
      }
    }
    if (filled == 0) return std::nullopt;
    into->size = filled;
    return batch_type{filled, into->columns(), std::move(held)};
  }

  /// Forgets what is left.
  void clear() {
    rest_ = {};
    used_ = 0;
  }

 private:
  template <class Fetch>
  bool refill(Fetch& fetch) {
    clear();
    std::optional<batch_type> fetched = fetch();
    if (!fetched) return false;
    rest_ = std::move(*fetched);
    return true;
  }

  static typename slot<Field...>::widths widths(const batch_type& like) {
    return std::apply([](const auto&... column) { return typename slot<Field...>::widths{column.width()...}; },
                      like.columns());
  }

  std::size_t step_;
  std::shared_ptr<pool_type> pool_;
  batch_type rest_;
  std::size_t used_ = 0;
};

}  // namespace ipuflow::feed
