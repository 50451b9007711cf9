// SPDX-License-Identifier: BSL-1.0
// Local search on orders: an operation on a longest path moves before the one that it waits for on its IPU, or one of these
// moves further. Worse orders are taken within a threshold that falls to zero (Dueck and Scheuer 1990, threshold accepting),
// counted in whole numbers, so that the same seed finds the same orders everywhere.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/search_random.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// Orders made better by moves on their longest paths.
class search_improvement {
 public:
  constexpr explicit search_improvement(const search_instance& of) : of_{&of}, one_{of}, two_{of} {}
  search_improvement(const search_improvement&) = delete;
  search_improvement& operator=(const search_improvement&) = delete;

  /// Changes `orders` for the better, for `moves` moves or until they are as good as `enough`; `go_on()` false stops it, too.
  template <class Stop>
  constexpr search_value run(search_orders& orders, std::size_t moves, amount threshold, amount enough, search_random& random,
                             Stop& stop) {
    search_value now = now_->run(orders);
    if (now.longest >= endless) return now;
    search_value best = now;
    search_orders kept = orders;
    look_at(orders, random);
    for (std::size_t move = 0; move < moves && best.longest > enough && !pairs_.empty(); ++move) {
      if (move % 256 == 255 && stop()) break;
      const std::size_t i = pairs_[random(pairs_.size())];
      const amount allowed = threshold * static_cast<amount>(moves - move) / static_cast<amount>(moves);
      const std::size_t far = random(4) == 0 ? random(8) : 0;
      if (far == 0 && now_->if_swapped(orders, i) > now.longest + allowed) continue;
      if (!change(orders, i, far, random)) continue;
      const search_value changed = then_->run(orders);
      if (weight(changed) > weight(now) + allowed * scale()) {
        undo(orders);
        continue;
      }
      now = changed;
      search_times* const old = now_;
      now_ = then_;
      then_ = old;
      if (best.worse_than(now)) {
        best = now;
        kept = orders;
      }
      look_at(orders, random);
    }
    orders = kept;
    return best;
  }

 private:
  constexpr amount scale() const { return static_cast<amount>(of_->ipus) * 2; }
  constexpr amount weight(const search_value& v) const { return v.longest >= endless ? endless : v.longest * scale() + v.sum; }

  constexpr void look_at(const search_orders& orders, search_random& random) {
    while (!pairs_.empty()) pairs_.pop_back();
    now_->run_back(orders);
    now_->trace(orders, random, [&](std::size_t i) {
      if (orders.lanes[i - 1] != orders.lanes[i]) pairs_.push_back(i);
    });
  }

  /// Moves what is at `i` forward by some places, or what is before it back by some.
  constexpr bool change(search_orders& orders, std::size_t i, std::size_t far, search_random& random) {
    const std::size_t ipu = of_->lanes[orders.lanes[i]].ipu;
    const std::size_t first = orders.first[ipu];
    const std::size_t last = orders.first[ipu + 1];
    if (random(2) == 0) {
      from_ = i;
      to_ = i - 1 < first + far ? first : i - 1 - far;
    } else {
      from_ = i - 1;
      to_ = i + far >= last ? last - 1 : i + far;
    }
    shift(orders, from_, to_);
    if (fits(orders, ipu)) return true;
    undo(orders);
    return false;
  }
  constexpr void undo(search_orders& orders) const { shift(orders, to_, from_); }

  static constexpr void shift(search_orders& orders, std::size_t from, std::size_t to) {
    const std::size_t moved = orders.lanes[from];
    for (; from < to; ++from) orders.lanes[from] = orders.lanes[from + 1];
    for (; from > to; --from) orders.lanes[from] = orders.lanes[from - 1];
    orders.lanes[to] = moved;
  }

  constexpr bool fits(const search_orders& orders, std::size_t ipu) const {
    amount held = 0;
    const std::size_t end = (from_ > to_ ? from_ : to_) + 1;
    for (std::size_t i = orders.first[ipu]; i < end; ++i) {
      const search_lane& lane = of_->lanes[orders.lanes[i]];
      if (held + lane.during > of_->limit[ipu]) return false;
      held += lane.memory;
    }
    return true;
  }

  const search_instance* of_;
  search_times one_;
  search_times two_;
  search_times* now_ = &one_;   ///< of the orders as they are
  search_times* then_ = &two_;  ///< of a change
  dynamic_array<std::size_t> pairs_{};
  std::size_t from_ = 0;
  std::size_t to_ = 0;
};

}  // namespace ipuflow::schedule::impl
