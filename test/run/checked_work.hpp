// SPDX-License-Identifier: BSL-1.0
// A work that checks what the executor promises: an operation waits until what it reads was made, every lane is one
// thread's at a time, and what was done is written down. Its values are plain numbers, so that a missing happens-before is
// a race that ThreadSanitizer sees.
#pragma once

#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace checked {

using namespace ipuflow;
using schedule::op;
using schedule::pass;

/// What one copy of a timetable has made: for each seat and micro-batch a value forwards and one backwards.
template <schedule::timetable T>
class board {
 public:
  explicit board(const T& t) : where_{&t.where}, cells_{new cell[t.where.seats() * t.where.micro_batches * 2]} {}

  /// False if what `o` reads is not there.
  bool perform(std::size_t ipu, const op& o) {
    const std::size_t seat = where_->seat_of(ipu, o.stage, o.micro_batch);
    if (o.kind == pass::forward) {
      std::size_t sum = o.micro_batch;
      if (o.stage > 0 && !gather(o.stage - 1, o.micro_batch, 0, sum)) return false;
      make(seat, o.micro_batch, 0, sum + o.stage);
    } else if (schedule::is_backward(o.kind)) {
      std::size_t sum = at(seat, o.micro_batch, 0).value;
      if (o.stage + 1 < where_->stages && !gather(o.stage + 1, o.micro_batch, 1, sum)) return false;
      make(seat, o.micro_batch, 1, sum + o.stage);
    }
    return true;
  }

  std::size_t value(std::size_t seat, std::size_t micro_batch, std::size_t way) {
    return at(seat, micro_batch, way).made.load() ? at(seat, micro_batch, way).value : schedule::nowhere;
  }

 private:
  struct cell {
    std::size_t value = 0;
    std::atomic<bool> made{false};
  };

  cell& at(std::size_t seat, std::size_t micro_batch, std::size_t way) {
    return cells_[(seat * where_->micro_batches + micro_batch) * 2 + way];
  }
  bool gather(std::size_t stage, std::size_t micro_batch, std::size_t way, std::size_t& sum) {
    std::size_t more = 0;
    for (std::size_t seat = where_->first_seat(stage); seat < where_->first_seat(stage + 1); ++seat) {
      if (!at(seat, micro_batch, way).made.load(std::memory_order_acquire)) return false;
      more += at(seat, micro_batch, way).value;
    }
    sum += more;
    return true;
  }
  void make(std::size_t seat, std::size_t micro_batch, std::size_t way, std::size_t value) {
    cell& c = at(seat, micro_batch, way);
    c.value = value;
    c.made.store(true, std::memory_order_release);
  }

  const decltype(T::where)* where_;
  std::unique_ptr<cell[]> cells_;
};

/// `reluctance(lane, op)` is how often an operation asks to be tried again, which stands for what it costs.
template <schedule::timetable T, class Reluctance>
class work {
 public:
  work(const T& t, std::size_t copies, Reluctance reluctance)
      : ipus_{t.where.ipus}, reluctance_{reluctance}, lanes_{new lane[copies * t.where.ipus]} {
    for (std::size_t i = 0; i < copies; ++i) boards_.emplace_back(t);
  }

  run::progress perform(std::size_t number, const op& o, std::size_t count) {
    lane& l = lanes_[number];
    l.crowded = l.crowded || l.taken.exchange(true, std::memory_order_acquire);
    const run::progress made = perform_in(l, number, o, count);
    l.taken.store(false, std::memory_order_release);
    return made;
  }

  const std::vector<op>& done(std::size_t number) const { return lanes_[number].done; }
  bool crowded(std::size_t number) const { return lanes_[number].crowded; }
  board<T>& copy(std::size_t i) { return boards_[i]; }

 private:
  struct lane {
    std::vector<op> done;
    std::size_t refused = 0;
    std::atomic<bool> taken{false};
    bool crowded = false;
  };

  run::progress perform_in(lane& l, std::size_t number, op o, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++o.micro_batch) {
      if (l.refused < reluctance_(number, o)) return ++l.refused, run::progress{i, run::attempt::wait};
      if (!boards_[number / ipus_].perform(number % ipus_, o)) return {i, run::attempt::wait};
      l.refused = 0;
      l.done.push_back(o);
    }
    return {count, run::attempt::done};
  }

  std::size_t ipus_;
  Reluctance reluctance_;
  std::unique_ptr<lane[]> lanes_;
  std::vector<board<T>> boards_;
};

/// The operations of an IPU, written out.
template <schedule::timetable T>
std::vector<op> order(const T& t, std::size_t ipu) {
  std::vector<op> all;
  for (auto w = t.walk(ipu); w; ++w) all.push_back(*w);
  return all;
}

/// The same done by one loop, IPU after IPU: what the values should be.
template <schedule::timetable T>
board<T> by_hand(const T& t) {
  board<T> made{t};
  std::vector<schedule::impl::walk_of<T>> walks;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) walks.push_back(t.walk(ipu));
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (; walks[ipu] && made.perform(ipu, *walks[ipu]); ++walks[ipu]) moved = true;
    }
  }
  return made;
}

/// Runs copies of a timetable; the first promise that was not kept, or nothing.
template <schedule::timetable T, class Reluctance>
const char* broken_promise(const T& t, run::crew& crew, const run::execution& options, Reluctance reluctance) {
  work<T, Reluctance> all{t, options.copies, reluctance};
  board<T> wanted = by_hand(t);
  const run::outcome came = run::execute(t, all, crew, options);
  std::size_t total = 0;
  for (std::size_t lane = 0; lane < options.copies * t.where.ipus; ++lane) {
    if (all.done(lane) != order(t, lane % t.where.ipus)) return "the operations of a lane, once and in order";
    if (all.crowded(lane)) return "one thread at a time in a lane";
    total += all.done(lane).size();
  }
  for (std::size_t copy = 0; copy < options.copies; ++copy) {
    for (std::size_t i = 0; i < t.where.seats() * t.where.micro_batches * 2; ++i) {
      const std::size_t seat = i / 2 / t.where.micro_batches;
      const std::size_t micro_batch = i / 2 % t.where.micro_batches;
      if (all.copy(copy).value(seat, micro_batch, i % 2) != wanted.value(seat, micro_batch, i % 2)) return "the values";
    }
  }
  return came.stopped || came.performed != total ? "the count" : nullptr;
}

}  // namespace checked
