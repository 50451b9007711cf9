// SPDX-License-Identifier: BSL-1.0
// The lanes of one thread on their way through a timetable: the lane with the lowest step goes first, and where its
// next operation has to wait the thread tries the others, so that none starves and none holds up what another thread
// waits for.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/run/threads/attempt.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run {

namespace impl {

class itinerary {
 public:
  /// Lane i follows IPU i modulo the number of IPUs. A lane may go on until it is `slack` steps ahead of the others.
  itinerary(const schedule::any_timetable& t, light_span<const std::size_t> lanes, std::size_t slack) : slack_{slack} {
    lanes_.reserve(lanes.size());
    for (const std::size_t i : lanes) {
      if (auto walk = t.walk(i % t.where.ipus)) lanes_.push_back({std::move(walk), i});
    }
  }

  [[nodiscard]] bool finished() const { return lanes_.empty(); }

  /// Tries operations, those of the lane with the lowest step first, until some are done; false if all have to wait.
  /// `perform(lane, op, count)` gives a progress.
  template <class Perform>
  bool advance(Perform perform) {
    for (std::size_t tried = 0; tried < lanes_.size(); ++tried) {
      const std::size_t limit = take_lowest(tried) + stride_;
      lane& l = lanes_[tried];
      const progress made = timed([&] { return perform(l.number, *l.walk, room(l.walk, limit)); });
      if (made.done == 0 && made.next == attempt::wait) continue;
      if (made.done > 0) l.walk += made.done;
      if (made.next == attempt::over || !l.walk) {
        algorithms::swap(l, lanes_.back());
        lanes_.pop_back();
      }
      return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t burst = 256;  ///< operations before anybody asks whether the run is to stop

  static constexpr std::chrono::microseconds short_turn{2};  ///< hides what changing lanes costs
  static constexpr std::size_t turns_between = 16;

  struct lane {
    schedule::any_walk walk;
    std::size_t number = 0;
  };

  /// Lanes of short operations take longer turns, as far as their slack goes; lanes of long ones take turns often, so
  /// that what they make reaches other threads soon. A turn is measured now and then.
  template <class Turn>
  progress timed(Turn turn) {
    if (slack_ == 0 || lanes_.size() == 1 || --until_timed_ > 0) return turn();
    const auto start = steady_clock::now();
    const progress made = turn();
    const auto took = steady_clock::now() - start;
    until_timed_ = stride_ == slack_ ? turns_between : 1;
    if (made.done > 0 && took < short_turn) stride_ = algorithms::min(2 * stride_ + 1, slack_);
    if (took > 4 * short_turn) stride_ /= 2;
    return made;
  }

  /// The number of operations of the kind at hand that may be done before the steps are looked at again: without slack one, since
  /// the next one of the lane may be many steps away.
  std::size_t room(const schedule::any_walk& w, std::size_t limit) const {
    if (slack_ == 0 && lanes_.size() > 1) return 1;
    const std::size_t ahead = w->step < limit ? limit - w->step : 0;
    return algorithms::min(w.repeats(), burst, ahead + 1);
  }

  /// Moves the lane with the lowest step among those from `from` on to `from`; the lowest step of those behind it.
  std::size_t take_lowest(std::size_t from) {
    for (std::size_t i = from + 1; i < lanes_.size(); ++i) {
      if (lanes_[i].walk->step < lanes_[from].walk->step) algorithms::swap(lanes_[i], lanes_[from]);
    }
    std::size_t next = schedule::nowhere / 2;
    for (std::size_t i = from + 1; i < lanes_.size(); ++i) next = algorithms::min(next, lanes_[i].walk->step);
    return next;
  }

  dynamic_array<lane> lanes_;
  std::size_t slack_;
  std::size_t stride_ = 0;
  std::size_t until_timed_ = 1;
};

}  // namespace impl

}  // namespace ipuflow::run
