// SPDX-License-Identifier: BSL-1.0
// Plans a FIFO for values that several micro-batches have alive at once. The newest value stays in its producer's
// variable. It is pushed as soon as a slot is free, or when the value that is read next can be pulled for the last
// time, as in the vendor's FIFOs. So the FIFO needs as many slots as values are produced during one value's lifetime.
#pragma once

#include <ipuflow/core/light_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

/// An event of a value: it is made, or read by one of the readers.
struct carry_event {
  bool makes = false;
  unsigned char reader = 0;
  std::uint32_t value = 0;
};

/// The moves to be made around an event.
enum class carried_by : unsigned char {
  nothing = 0,
  push_before = 1,    ///< the value made before, which is about to be written over
  pull_before = 2,    ///< for the reader of the event
  copy_before = 4,    ///< the newest value, from where it is made to where it is read
  pull_after = 8,     ///< for the next reader, to make room
  push_after = 16,    ///< the value that was just made
  second_reader = 32  ///< whose pull it is that comes after
};

constexpr carried_by operator|(carried_by a, carried_by b) {
  return static_cast<carried_by>(static_cast<unsigned char>(a) | static_cast<unsigned char>(b));
}
[[nodiscard]] constexpr bool has(carried_by all, carried_by one) {
  return (static_cast<unsigned char>(all) & static_cast<unsigned char>(one)) != 0;
}

/// The ways of a move: into a ring, out of it, or past it.
enum class way : unsigned char { push, pull, copy };
inline constexpr std::size_t ways = 3;

[[nodiscard]] constexpr way way_of(carried_by move) {
  if (move == carried_by::copy_before) return way::copy;
  return move == carried_by::push_before || move == carried_by::push_after ? way::push : way::pull;
}

/// Calls `visit(which, channel)` for the moves of some channels before an event, or after it, in their order.
template <std::size_t Channels, class Visit>
constexpr void each_move(const std::array<carried_by, Channels>& actions, bool before, Visit visit) {
  const auto any = [&](carried_by which) {
    for (std::size_t c = 0; c < Channels; ++c) {
      if (has(actions[c], which)) visit(which, c);
    }
  };
  if (before) {
    any(carried_by::push_before);
    any(carried_by::pull_before);
    any(carried_by::copy_before);
  } else {
    any(carried_by::pull_after);
    any(carried_by::push_after);
  }
}

struct carry_plan {
  std::size_t depth = 0;
  light_vector<carried_by> actions{};    ///< of each event
  light_vector<std::size_t> released{};  ///< of each value: the event at which the place where it was made is free
  light_vector<std::uint32_t> pushes{};  ///< slots in order; none: 0, 1, ..., depth - 1, again and again
  light_vector<light_vector<std::uint32_t>> pulls{};  ///< of each reader
  std::size_t pushes_of_run = 0;             ///< after which the first slot is next, where not each pull has its push in turn; 0: none
  light_vector<std::size_t> pulls_of_run{};  ///< of each reader, likewise
  light_vector<std::uint32_t> pushed{};              ///< values in the order of pushes
  light_vector<std::uint32_t> pulled{};              ///< and of pulls
};

/// Plans one ring; values are numbered below `values`, and each is made before it is read.
template <class = void>
class basic_carry_planner {
 public:
  basic_carry_planner(const light_vector<carry_event>& events, std::size_t values, std::size_t depth, bool early)
      : events_{events}, early_{early}, next_use_(events.size(), none), later_(events.size()), slot_(values, none) {
    plan_.depth = depth;
    plan_.actions.assign(events.size(), carried_by::nothing);
    plan_.released.assign(values, 0);
    plan_.pulls.resize(readers);
    taken_.assign(depth, false);
    look_ahead(values);
  }

  carry_plan run() {
    for (std::size_t e = 0; e < events_.size(); ++e) {
      if (events_[e].makes)
        make(e);
      else
        read(e);
    }
    if (in_turn(plan_.pushes) && in_turn(plan_.pulls[0]) && in_turn(plan_.pulls[1])) {
      const auto fewer = [&](const light_vector<std::uint32_t>& list) { return !list.empty() && list.size() != plan_.pushes.size(); };
      if (fewer(plan_.pulls[0]) || fewer(plan_.pulls[1])) {
        plan_.pushes_of_run = plan_.pushes.size();
        for (const auto& list : plan_.pulls) plan_.pulls_of_run.push_back(list.size());
      }
      plan_.pushes.clear();
      for (auto& list : plan_.pulls) list.clear();
    }
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr std::size_t readers = 2;

  struct ahead {
    std::size_t make = none;  // the next event that makes a value
    std::size_t read = none;  // the next that reads one
  };

  void look_ahead(std::size_t values) {
    light_vector<std::size_t> seen(values, none);
    ahead now;
    for (std::size_t e = events_.size(); e-- > 0;) {
      later_[e] = now;
      next_use_[e] = seen[events_[e].value];
      if (events_[e].makes) {
        now.make = e;
      } else {
        now.read = e;
        seen[events_[e].value] = e;
      }
    }
  }

  /// True if the reader at `e` has all later reads of the value right behind.
  bool last_pull(std::size_t e) const {
    for (std::size_t next = later_[e].read; next != none && events_[next].value == events_[e].value;
         next = later_[next].read) {
      e = next;
    }
    return next_use_[e] == none;
  }

  void add(std::size_t e, carried_by what) { plan_.actions[e] = plan_.actions[e] | what; }

  void push(std::uint32_t value) {
    std::size_t slot = none;
    for (std::size_t i = 0; i < taken_.size() && slot == none; ++i) {
      const std::size_t tried = (last_slot_ + 1 + i) % taken_.size();
      if (!taken_[tried]) slot = tried;
    }
    if (slot == none) {
      slot = taken_.size();
      taken_.push_back(false);
      plan_.depth = taken_.size();
    }
    taken_[slot] = true;
    ++in_ring_;
    last_slot_ = slot;
    slot_[value] = slot;
    plan_.pushes.push_back(static_cast<std::uint32_t>(slot));
    plan_.pushed.push_back(value);
  }

  /// For the reader at event `e`.
  void pull(std::size_t e) {
    const carry_event& reader = events_[e];
    const std::size_t slot = slot_[reader.value];
    plan_.pulls[reader.reader].push_back(static_cast<std::uint32_t>(slot));
    plan_.pulled.push_back(reader.value);
    held_ = reader.value;
    if (!last_pull(e)) return;
    taken_[slot] = false;
    --in_ring_;
    slot_[reader.value] = none;
  }

  void make(std::size_t e) {
    const std::uint32_t value = events_[e].value;
    if (waiting_ != none) {
      add(e, carried_by::push_before);
      push(static_cast<std::uint32_t>(waiting_));
      plan_.released[waiting_] = e;
      waiting_ = none;
    }
    plan_.released[value] = e;
    const bool overtaken = later_[e].make != none && used_after(e, later_[e].make);
    if (!overtaken) return;
    const std::size_t next = later_[e].read;
    const bool before_next = next != none && next < later_[e].make;
    const bool makes_room =
        before_next && slot_[events_[next].value] != none && last_pull(next) && held_ != events_[next].value;
    if (early_ && in_ring_ < taken_.size()) {
      add(e, carried_by::push_after);
      push(value);
    } else if (early_ && makes_room) {
      add(e, carried_by::pull_after | carried_by::push_after);
      if (events_[next].reader != 0) add(e, carried_by::second_reader);
      pull(next);
      push(value);
    } else {
      waiting_ = value;
    }
  }

  bool used_after(std::size_t e, std::size_t point) const {
    std::size_t last = next_use_[e];
    while (last != none && last < point) last = next_use_[last];
    return last != none;
  }

  void read(std::size_t e) {
    const std::uint32_t value = events_[e].value;
    if (held_ == value) return;
    if (slot_[value] != none) {
      add(e, carried_by::pull_before);
      pull(e);
      return;
    }
    add(e, carried_by::copy_before);
    held_ = value;
    plan_.released[value] = e;
    if (waiting_ == value && last_pull(e)) waiting_ = none;
  }

  /// True if a list takes 0, 1, ..., depth - 1 again and again.
  bool in_turn(const light_vector<std::uint32_t>& list) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != i % plan_.depth) return false;
    }
    return true;
  }

  const light_vector<carry_event>& events_;
  bool early_;
  light_vector<std::size_t> next_use_;  // of the value of each event: the next event that reads it
  light_vector<ahead> later_;
  light_vector<std::size_t> slot_;  // of each value in the ring
  light_vector<bool> taken_;
  std::size_t in_ring_ = 0;
  std::size_t last_slot_ = none;
  std::size_t held_ = none;     // the value that readers find
  std::size_t waiting_ = none;  // the newest, if it still has to be pushed
  carry_plan plan_;
};
using carry_planner = basic_carry_planner<>;

/// The plan with at least `depth` slots, more only if they are not enough. `early`: values go into the ring as soon as
/// they can, otherwise as late as they can.
template <class = void>
[[nodiscard]] inline carry_plan plan_carry(const light_vector<carry_event>& events, std::size_t values, std::size_t depth,
                                           bool early) {
  carry_plan plan = carry_planner(events, values, depth, early).run();
  if (plan.depth > depth) plan = carry_planner(events, values, plan.depth, early).run();
  return plan;
}

}  // namespace ipuflow::run::impl
