// SPDX-License-Identifier: BSL-1.0
// Runs two small programs over every interleaving and every value that the C++ memory model lets a load return: release
// and acquire by views, relaxed without, data races of plain memory by vector clocks. Each atomic has one writer here,
// so its modification order is the order in which it was written.
//
// A program is run again from its start for every step, with the answers that its accesses got so far; the first access
// beyond them is what it does next. So programs are plain functions, and need no threads of their own to be
// interleaved.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memory_model {

enum class kind : std::uint8_t { load, store, read, write, join };  // read and write are of plain memory

struct access {
  kind what{};
  std::size_t place = 0;
  std::uint64_t value = 0;
  bool synchronises = false;
};

/// One run of a program, up to its first access that has no answer yet.
struct replay {
  const std::vector<std::uint64_t>* answers = nullptr;
  std::size_t next_answer = 0;
  std::size_t atomics = 0;  // made so far
  std::optional<access> pending{};
  const void* slots_begin = nullptr;
  const void* slots_end = nullptr;

  std::uint64_t last_stored = 0;

  /// Beyond the end of a run nothing counts any more, but the ring has to come to its end: a load returns what makes it
  /// look empty, which is how far this side has come itself.
  std::uint64_t perform(access a) {
    if (a.what == kind::store) last_stored = a.value;
    if (!pending && next_answer < answers->size()) return (*answers)[next_answer++];
    if (!pending) pending = a;
    return last_stored;
  }
};

inline replay* current = nullptr;

/// Which of its four memory orders a ring is run without.
enum class weakened : std::uint8_t { none, tail_store, tail_load, head_store, head_load };

template <weakened Order>
struct atomics {
  static constexpr std::memory_order publish = std::memory_order_release;
  static constexpr std::memory_order observe = std::memory_order_acquire;

  template <class T>
  class atomic {
   public:
    explicit atomic(T) : place_{current->atomics++} {}  // the producer's tail is made first, the consumer's head next
    T load(std::memory_order order) const {
      const bool weak = Order == (place_ == 0 ? weakened::tail_load : weakened::head_load);
      return current->perform({kind::load, place_, 0, !weak && order == std::memory_order_acquire});
    }
    void store(T value, std::memory_order order) {
      const bool weak = Order == (place_ == 0 ? weakened::tail_store : weakened::head_store);
      current->perform({kind::store, place_, value, !weak && order == std::memory_order_release});
    }

   private:
    std::size_t place_;
  };
};

/// An item whose every touch in a slot of the ring is an access of plain memory.
class item {
 public:
  item() { set(0); }
  explicit item(std::uint64_t value) { set(value); }
  item(item&& from) noexcept { set(from.get()); }
  item& operator=(item&&) = delete;
  ~item() { set(0); }

  std::uint64_t get() const { return in_slot() ? current->perform({kind::read, place(), 0, false}) : value_; }
  void set(std::uint64_t value) {
    if (in_slot()) {
      current->perform({kind::write, place(), value, false});
    } else {
      value_ = value;
    }
  }

 private:
  bool in_slot() const {
    return std::less_equal<>{}(current->slots_begin, static_cast<const void*>(this)) &&
           std::less<>{}(static_cast<const void*>(this), current->slots_end);
  }
  std::size_t place() const { return static_cast<std::size_t>(this - static_cast<const item*>(current->slots_begin)); }

  std::uint64_t value_ = 0;
};

/// Waits until the other program is over and sees all that it did.
inline void join() { current->perform({kind::join, 0, 0, true}); }

using log = std::vector<std::uint64_t>;

/// Two programs over rings of one type; both return what the verdict looks at.
template <class Ring>
class explorer {
 public:
  using program = std::function<log(Ring&)>;
  using verdict = std::function<bool(const log&, const log&)>;

  explorer(std::size_t capacity, program first, program second, verdict fine)
      : capacity_{capacity}, programs_{std::move(first), std::move(second)}, fine_{std::move(fine)} {}

  /// True if no execution has a data race and the verdict holds after each.
  bool holds() {
    explore(state{});
    return !violated_;
  }
  std::size_t states() const { return seen_.size(); }
  std::size_t executions() const { return executions_; }

 private:
  struct view {
    std::array<std::size_t, 2> newest{};  // of each atomic, the oldest write that can still be read
    std::array<std::size_t, 2> clock{};   // of each thread, its last step that happened before
    void join(const view& other) {
      for (std::size_t i = 0; i < 2; ++i) newest[i] = std::max(newest[i], other.newest[i]);
      for (std::size_t i = 0; i < 2; ++i) clock[i] = std::max(clock[i], other.clock[i]);
    }
  };
  struct written {
    std::uint64_t value = 0;
    view message{};
  };
  struct cell {
    std::uint64_t value = 0;
    std::array<std::size_t, 2> last_write{};  // clock of each thread
    std::array<std::size_t, 2> last_read{};
  };
  struct state {
    std::array<std::vector<std::uint64_t>, 2> answers{};
    std::array<view, 2> views{};
    std::array<std::vector<written>, 2> atomics{std::vector<written>(1), std::vector<written>(1)};
    std::array<cell, 4> cells{};
  };
  struct next_step {
    std::optional<access> pending{};
    log result{};
  };

  const next_step& step_of(std::size_t thread, const std::vector<std::uint64_t>& answers) {
    auto [found, is_new] = steps_.try_emplace({thread, answers});
    if (is_new) {
      replay run{.answers = &answers};
      current = &run;
      Ring ring{capacity_};
      const auto* const begin = ring.peek(0).data();
      run.slots_begin = begin;
      run.slots_end = begin + 4;
      found->second.result = programs_[thread](ring);
      found->second.pending = run.pending;
      if (!run.pending) run.pending = access{};  // the ring's destructor is no part of the program
    }
    return found->second;
  }

  void explore(const state& now) {
    if (violated_ || !seen_.insert(key(now)).second) return;
    const std::array<next_step, 2> steps{step_of(0, now.answers[0]), step_of(1, now.answers[1])};
    if (!steps[0].pending && !steps[1].pending) {
      ++executions_;
      violated_ = violated_ || !fine_(steps[0].result, steps[1].result);
    }
    for (std::size_t thread = 0; thread < 2; ++thread) {
      if (steps[thread].pending) take(now, thread, *steps[thread].pending, !steps[1 - thread].pending);
    }
  }

  void take(const state& now, std::size_t thread, const access& a, bool other_done) {
    if (a.what == kind::join && !other_done) return;
    const std::size_t first = a.what == kind::load ? now.views[thread].newest[a.place] : 0;
    const std::size_t last = a.what == kind::load ? now.atomics[a.place].size() : 1;
    for (std::size_t choice = first; choice < last; ++choice) {
      state next = now;
      ++next.views[thread].clock[thread];
      next.answers[thread].push_back(apply(next, thread, a, choice));
      explore(next);
    }
  }

  std::uint64_t apply(state& s, std::size_t thread, const access& a, std::size_t choice) {
    view& mine = s.views[thread];
    if (a.what == kind::join) mine.join(s.views[1 - thread]);
    if (a.what == kind::load) {
      const written& w = s.atomics[a.place][choice];
      mine.newest[a.place] = choice;
      if (a.synchronises) mine.join(w.message);
      return w.value;
    }
    if (a.what == kind::store) {
      mine.newest[a.place] = s.atomics[a.place].size();
      s.atomics[a.place].push_back({a.value, a.synchronises ? mine : view{}});
    }
    if (a.what == kind::read || a.what == kind::write) return touch(s.cells.at(a.place), thread, a, mine);
    return 0;
  }

  std::uint64_t touch(cell& c, std::size_t thread, const access& a, const view& mine) {
    const std::size_t other = 1 - thread;
    const bool race =
        c.last_write[other] > mine.clock[other] || (a.what == kind::write && c.last_read[other] > mine.clock[other]);
    violated_ = violated_ || race;
    (a.what == kind::write ? c.last_write : c.last_read)[thread] = mine.clock[thread];
    if (a.what == kind::write) c.value = a.value;
    return c.value;
  }

  /// Everything that the future depends on; what threads did is in their answers, what is in memory follows from it but
  /// for views, which say in which order.
  static std::string key(const state& s) {
    std::string text;
    const auto add = [&](std::uint64_t number) { text += std::to_string(number) += ' '; };
    for (const auto& answers : s.answers) {
      for (const auto answer : answers) add(answer);
      text += '|';
    }
    const auto add_view = [&](const view& v) {
      for (const auto n : v.newest) add(n);
      for (const auto n : v.clock) add(n);
    };
    for (const auto& v : s.views) add_view(v);
    for (const auto& writes : s.atomics) {
      for (const auto& w : writes) {
        add(w.value);
        add_view(w.message);
      }
    }
    for (const auto& c : s.cells) {
      add(c.value);
      for (const auto n : c.last_write) add(n);
      for (const auto n : c.last_read) add(n);
    }
    return text;
  }

  std::size_t capacity_;
  std::array<program, 2> programs_;
  verdict fine_;
  std::map<std::pair<std::size_t, std::vector<std::uint64_t>>, next_step> steps_;
  std::set<std::string> seen_;
  std::size_t executions_ = 0;
  bool violated_ = false;
};

}  // namespace memory_model
