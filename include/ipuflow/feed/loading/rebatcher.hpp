// SPDX-License-Identifier: BSL-1.0
// Puts steps together from slots of any sizes, in order, so that only the very last one can be short. A slot that is a
// whole step already is passed on as it is.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/loading/slot_pool.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::feed::impl {

class rebatcher {
 public:
  /// Makes steps of `step` samples, in slots of that pool.
  rebatcher(std::size_t step, shared<slot_pool> pool) : step_{step}, pool_{std::move(pool)} {}

  /// The next step, made of what `fetch()` gives until it gives nothing; then the short one that is left, if any.
  template <class Fetch>
  [[nodiscard]] leased_slot next(Fetch fetch) {
    leased_slot into;
    std::size_t filled = 0;
    while (filled < step_) {
      if (left() == 0 && !refill(fetch)) break;
      if (filled == 0 && used_ == 0 && left() == step_) return algorithms::exchange(rest_, {});
      if (!into) {
        slot& s = pool_->take();
        into = {&s, lend(pool_, s)};
        s.prepare_like(*rest_.at, step_);
      }
      into.at->prepare_next(filled, step_);
      const std::size_t count = algorithms::min(left(), step_ - filled, into.at->room() - filled);
      into.at->check_widths(*rest_.at);
      used_ += count;  // also if one of them throws when it is moved: what was moved before it is no sample any more
      into.at->take(*rest_.at, used_ - count, count, filled);
      filled += count;
    }
    if (into) into.at->size = filled;
    return into;
  }

  /// Forgets what is left.
  void clear() {
    rest_ = {};
    used_ = 0;
  }

 private:
  std::size_t left() const { return rest_ ? rest_.at->size - used_ : 0; }

  template <class Fetch>
  bool refill(Fetch& fetch) {
    clear();
    rest_ = fetch();
    return static_cast<bool>(rest_);
  }

  std::size_t step_;
  shared<slot_pool> pool_;
  leased_slot rest_;  // that has not been put into a step yet, from sample `used_` on
  std::size_t used_ = 0;
};

}  // namespace ipuflow::feed::impl
