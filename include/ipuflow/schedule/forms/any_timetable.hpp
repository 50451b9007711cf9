// SPDX-License-Identifier: BSL-1.0
// The seam between types and values of a schedule. Any timetable, closed form or table, seen as one type: code that runs
// timetables takes this one and is compiled once. Walking costs one indirect call for each run of operations of one kind.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::schedule {

/// The walk of an IPU through any timetable.
class any_walk {
 public:
  any_walk() = default;
  template <class Walk>
  explicit any_walk(Walk walk) : held_{new holding<Walk>{std::move(walk)}} {
    ahead_ = held_->read(now_);
  }
  any_walk(any_walk&& other) noexcept : held_{other.held_}, ahead_{other.ahead_}, now_{other.now_} {
    other.held_ = nullptr;
    other.ahead_ = 0;
  }
  any_walk& operator=(any_walk&& other) noexcept {
    algorithms::swap(held_, other.held_);
    algorithms::swap(ahead_, other.ahead_);
    algorithms::swap(now_, other.now_);
    return *this;
  }
  ~any_walk() { delete held_; }

  explicit operator bool() const { return ahead_ > 0; }
  const placed& operator*() const { return now_; }
  const placed* operator->() const { return &now_; }

  /// The number of operations from this one on that are one pass of one stage over successive micro-batches.
  std::size_t repeats() const { return ahead_; }

  any_walk& operator++() { return *this += 1; }
  /// Goes on by `count` operations, no more than `repeats()`.
  any_walk& operator+=(std::size_t count) {
    held_->go_on(count);
    ahead_ = held_->read(now_);
    return *this;
  }

 private:
  struct walking {
    virtual ~walking() = default;
    /// Writes the operation at hand; how many like it follow, itself counted: none at the end.
    virtual std::size_t read(placed& now) const = 0;
    virtual void go_on(std::size_t count) = 0;
  };
  template <class Walk>
  struct holding final : walking {
    static constexpr bool in_runs = requires(Walk& w) { w.repeats(), w += 1; };

    explicit holding(Walk w) : walk{std::move(w)} {}
    std::size_t read(placed& now) const override {
      if (!walk) return 0;
      now = *walk;
      if constexpr (in_runs) {
        return walk.repeats();
      } else {
        return 1;
      }
    }
    void go_on(std::size_t count) override {
      if constexpr (in_runs) {
        walk += count;
      } else {
        while (count-- > 0) ++walk;
      }
    }

    Walk walk;
  };

  walking* held_ = nullptr;
  std::size_t ahead_ = 0;
  placed now_{};
};

namespace impl {

/// The layout of any timetable: the stages of each IPU.
class any_where {
 public:
  template <whereabouts Where>
  explicit any_where(const Where& where)
      : ipus{where.ipus}, stages{where.stages}, micro_batches{where.micro_batches}, of_{&where}, seats_{where.seats()} {
    first_seat_ = [](const void* of, std::size_t stage) { return as<Where>(of).first_seat(stage); };
    ipu_of_ = [](const void* of, std::size_t seat, std::size_t m) { return as<Where>(of).ipu_of(seat, m); };
    seat_of_ = [](const void* of, std::size_t ipu, std::size_t stage, std::size_t m) {
      return as<Where>(of).seat_of(ipu, stage, m);
    };
    if constexpr (requires { where.directions(); }) directions_ = where.directions();
  }

  std::size_t seats() const { return seats_; }
  std::size_t first_seat(std::size_t stage) const { return first_seat_(of_, stage); }
  std::size_t ipu_of(std::size_t seat, std::size_t micro_batch) const { return ipu_of_(of_, seat, micro_batch); }
  std::size_t seat_of(std::size_t ipu, std::size_t stage, std::size_t micro_batch) const {
    return seat_of_(of_, ipu, stage, micro_batch);
  }
  std::size_t directions() const { return directions_; }

  std::size_t ipus = 0;
  std::size_t stages = 0;
  std::size_t micro_batches = 0;

 private:
  template <class Where>
  static const Where& as(const void* of) {
    return *static_cast<const Where*>(of);
  }

  const void* of_ = nullptr;
  std::size_t seats_ = 0;
  std::size_t directions_ = 1;
  std::size_t (*first_seat_)(const void*, std::size_t) = nullptr;
  std::size_t (*ipu_of_)(const void*, std::size_t, std::size_t) = nullptr;
  std::size_t (*seat_of_)(const void*, std::size_t, std::size_t, std::size_t) = nullptr;
};

template <timetable T>
any_walk begin_walk(const void* timetable, std::size_t ipu) {
  if constexpr (is_widened<T>) {
    const modular<common_map> wide = widened(*static_cast<const T*>(timetable));
    return begin_walk<modular<common_map>>(&wide, ipu);  // a walk has what it needs of it
  } else {
    return any_walk{static_cast<const T*>(timetable)->walk(ipu)};
  }
}

}  // namespace impl

/// Refers to a timetable, which has to last as long.
class any_timetable {
 public:
  template <timetable T>
  any_timetable(const T& t)
      : where{t.where},
        run_for{t.run_for},
        goes{t.goes},
        refused{t.refused},
        of_{&t},
        walk_{impl::begin_walk<T>} {
    if constexpr (requires { t.recompute; }) recompute = t.recompute;
  }
  any_timetable(const any_timetable&) = default;

  any_walk walk(std::size_t ipu) const { return walk_(of_, ipu); }

  impl::any_where where;
  mode run_for = mode::training;
  pace goes = pace::freely;
  recomputation recompute = recomputation::none;
  schedule_fault refused{};

 private:
  const void* of_;
  any_walk (*walk_)(const void*, std::size_t);
};

}  // namespace ipuflow::schedule

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow::schedule::impl {
extern template any_walk begin_walk<modular<grid>>(const void*, std::size_t);
extern template any_walk begin_walk<modular<common_map>>(const void*, std::size_t);
}
#endif
