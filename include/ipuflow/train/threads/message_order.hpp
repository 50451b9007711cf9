// SPDX-License-Identifier: BSL-1.0
// The order of values and gradients between neighbouring stages on threads: rings hand them on as they were put in, so both stages have
// to take the micro-batches in one order.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// The micro-batches of each seat's passes in the order in which they come, those of each direction by themselves.
template <class = void>
class basic_pass_orders {
 public:
  explicit basic_pass_orders(const schedule::any_timetable& t) : t_{t}, orders_(2 * t.where.directions() * t.where.seats()) {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) {
        const bool back = schedule::is_backward(w->kind);
        if (!back && w->kind != schedule::pass::forward) continue;
        const std::size_t share = algorithms::max(t.where.micro_batches / t.where.directions(), std::size_t{1});
        const std::size_t direction = algorithms::min(w->micro_batch / share, t.where.directions() - 1);
        orders_[index(back, direction, t.where.seat_of(ipu, w->stage, w->micro_batch))].push_back(w->micro_batch);
      }
    }
  }

  /// The first pass of stage `to` that reads another micro-batch than stage `from` has put in next.
  [[nodiscard]] schedule::schedule_fault differ(std::size_t from, std::size_t to) const {
    const bool back = from > to;
    for (std::size_t direction = 0; direction < t_.where.directions(); ++direction) {
      for (std::size_t giver = t_.where.first_seat(from); giver < t_.where.first_seat(from + 1); ++giver) {
        for (std::size_t taker = t_.where.first_seat(to); taker < t_.where.first_seat(to + 1); ++taker) {
          const light_vector<std::size_t>& given = orders_[index(back, direction, giver)];
          const light_vector<std::size_t>& taken = orders_[index(back, direction, taker)];
          for (std::size_t i = 0; i < algorithms::min(given.size(), taken.size()); ++i) {
            if (given[i] == taken[i]) continue;
            return {schedule::schedule_wrong::channel_order, t_.where.ipu_of(giver, given[i]), given[i],
                    {t_.where.ipu_of(taker, taken[i]), schedule::nowhere, to, taken[i], back ? schedule::pass::backward : schedule::pass::forward}};
          }
        }
      }
    }
    return {};
  }

 private:
  std::size_t index(bool back, std::size_t direction, std::size_t seat) const {
    return 2 * (direction * t_.where.seats() + seat) + (back ? 1 : 0);
  }

  const schedule::any_timetable& t_;
  light_vector<light_vector<std::size_t>> orders_;
};

/// The first place at which two neighbouring stages of a timetable that is complete have another order.
template <class = void>
[[nodiscard]] [[gnu::cold]] schedule::schedule_fault verify_message_order(const schedule::any_timetable& t) {
  const basic_pass_orders<> orders{t};
  for (std::size_t stage = 1; stage < t.where.stages; ++stage) {
    if (const schedule::schedule_fault found = orders.differ(stage - 1, stage)) return found;
    if (const schedule::schedule_fault found = orders.differ(stage, stage - 1)) return found;
  }
  return {};
}

}  // namespace ipuflow::train::impl
