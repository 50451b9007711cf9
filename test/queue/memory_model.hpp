// SPDX-License-Identifier: BSL-1.0
// Runs small programs, a thread each, over every interleaving and every value that the C++20 memory model lets a load
// return. What each thread has seen is a view: of each atomic the oldest write that it may still read, of each thread
// the last step that happened before. Release hands a view on, acquire joins it; data races of plain memory show by the
// same views; that every thread is blocked shows as a deadlock.
//
// A program is run again from its start for every step, with the answers that its accesses got so far; the first access
// beyond them is what it does next. So programs are plain functions, and need no threads of their own to be
// interleaved.
//
// What it leaves out: a load reads only what was written before it in some interleaving, so load buffering, which C++
// allows for relaxed accesses, does not show. Operations in seq_cst take effect in the order of the interleaving, which
// is stricter than C++20 where one atomic is accessed in seq_cst and in weaker orders. And
// atomic::wait sleeps only while the newest value is the old one, as a futex does.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace memory_model {

inline constexpr std::size_t most_threads = 4;
inline constexpr std::size_t most_atomics = 8;
inline constexpr std::size_t most_cells = 12;  // of plain memory: four slots and eight others
inline constexpr std::size_t first_plain = 4;

enum class kind : std::uint8_t {
  load, store, exchange, add, set_bits, compare_exchange, wait, notify, fence,  // of atomics
  lock, unlock,                                                                 // of a mutex
  read, write,                                                                  // of plain memory
  join
};

struct access {
  kind what{};
  std::size_t place = 0;
  std::uint64_t value = 0;
  std::uint64_t expected = 0;  // by a compare-exchange, or what a wait waits at
  bool acquire = false;
  bool release = false;
  bool seq_cst = false;
  bool acquire_if_not = false;  // of a compare-exchange that fails
};

/// A memory order in the source: half of it, where it is both acquire and release. Weakened it is relaxed.
struct order_site {
  std::string file{};
  unsigned line = 0;
  std::size_t place = 0;
  bool is_acquire = false;

  auto operator<=>(const order_site&) const = default;
  std::string text() const {
    return file + ":" + std::to_string(line) + ", atomic " + std::to_string(place) +
           (is_acquire ? ", acquire" : ", release");
  }
};

/// The orders that programs came by, and the one that they are run without.
struct orders {
  std::set<order_site> met{};
  std::optional<order_site> weakened{};

  bool keeps(const std::source_location& at, std::size_t place, bool is_acquire) {
    const std::string path = at.file_name();
    order_site site{path.substr(path.find_last_of('/') + 1), at.line(), place, is_acquire};
    if (weakened == site) return false;
    met.insert(std::move(site));
    return true;
  }
};
inline orders known_orders;

/// One run of a program, up to its first access that has no answer yet.
struct replay {
  const std::vector<std::uint64_t>* answers = nullptr;
  const std::map<std::size_t, std::uint64_t>* beyond = nullptr;
  std::size_t next_answer = 0;
  std::size_t atomics = 0;  // made so far
  std::size_t plains = first_plain;
  std::optional<access> pending{};
  const void* slots_begin = nullptr;
  const void* slots_end = nullptr;

  std::uint64_t last_stored = 0;
  std::vector<std::uint64_t>* making = nullptr;  // while the world is made: the values of its atomics

  std::size_t new_atomic() {
    if (atomics == most_atomics) throw std::logic_error{"a world has more atomics than most_atomics"};
    if (making != nullptr) making->resize(std::max(making->size(), atomics + 1));
    return atomics++;
  }

  /// Beyond the end of a run nothing counts any more, but the program has to come to its end: a load returns what its
  /// atomic was given for that, or what makes a ring look empty, which is how far this side has come itself. A
  /// compare-exchange succeeds.
  std::uint64_t perform(const access& a) {
    if (making != nullptr) return make(a);
    if (a.what == kind::store && !beyond->contains(a.place)) last_stored = a.value;
    if (!pending && next_answer < answers->size()) return (*answers)[next_answer++];
    if (!pending) pending = a;
    if (a.what == kind::compare_exchange) return a.expected;
    if (a.what == kind::wait) return a.expected + 1;
    const auto found = beyond->find(a.place);
    return found == beyond->end() ? last_stored : found->second;
  }

 private:
  /// What makes a world happens before its threads.
  std::uint64_t make(const access& a) const {
    std::uint64_t& value = making->at(a.place);
    switch (a.what) {
      case kind::load: return value;
      case kind::store:
      case kind::exchange: return std::exchange(value, a.value);
      case kind::add: return std::exchange(value, value + a.value);
      default: throw std::logic_error{"worlds are made by loads, stores, exchanges and sums"};
    }
  }
};

inline replay* current = nullptr;

/// A value of an atomic as a number: a pointer is one to an object of a model, which stays where it is from run to run.
template <class T>
std::uint64_t number_of(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uintptr_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}
template <class T>
T value_of(std::uint64_t number) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(static_cast<std::uintptr_t>(number));
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
class atomic {
 public:
  using site = std::source_location;

  atomic(T = {}) : place_{current->new_atomic()} {}  // all begin with 0

  T load(std::memory_order order, site at = site::current()) const { return perform(kind::load, 0, order, at); }
  void store(T value, std::memory_order order, site at = site::current()) { perform(kind::store, value, order, at); }
  T exchange(T value, std::memory_order order, site at = site::current()) {
    return perform(kind::exchange, value, order, at);
  }
  T fetch_add(T value, std::memory_order order, site at = site::current()) {
    return perform(kind::add, value, order, at);
  }
  T fetch_sub(T value, std::memory_order order, site at = site::current()) {
    return perform(kind::add, static_cast<T>(0 - value), order, at);
  }
  T fetch_or(T value, std::memory_order order, site at = site::current()) {
    return perform(kind::set_bits, value, order, at);
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order order, std::memory_order if_not,
                               site at = site::current()) {
    access a = accessing(kind::compare_exchange, value, order, at);
    a.expected = number_of(expected);
    a.acquire_if_not = if_not != std::memory_order_relaxed && known_orders.keeps(at, place_, true);
    const T before = value_of<T>(current->perform(a));
    return std::exchange(expected, before) == before;
  }
  /// Without failures for no reason, after which a loop would only do the same again.
  bool compare_exchange_weak(T& expected, T value, std::memory_order order, std::memory_order if_not,
                             site at = site::current()) {
    return compare_exchange_strong(expected, value, order, if_not, at);
  }
  void wait(T old, std::memory_order order, site at = site::current()) const {
    access a = accessing(kind::wait, 0, order, at);
    a.expected = number_of(old);
    current->perform(a);
  }
  void notify_one() { current->perform({.what = kind::notify, .place = place_}); }

 private:
  access accessing(kind what, T value, std::memory_order order, const site& at) const {
    const bool seq_cst = order == std::memory_order_seq_cst;
    const bool both = seq_cst || order == std::memory_order_acq_rel;
    const bool reads = what != kind::store;
    const bool writes = what != kind::load && what != kind::wait;
    return {.what = what,
            .place = place_,
            .value = number_of(value),
            .acquire = reads && (both || order == std::memory_order_acquire) && known_orders.keeps(at, place_, true),
            .release = writes && (both || order == std::memory_order_release) && known_orders.keeps(at, place_, false),
            .seq_cst = seq_cst};
  }
  T perform(kind what, T value, std::memory_order order, const site& at) const {
    return value_of<T>(current->perform(accessing(what, value, order, at)));
  }

  std::size_t place_;
};

/// A fence; in seq_cst it is acquire and release, too.
inline void fence(std::memory_order order) {
  const bool seq_cst = order == std::memory_order_seq_cst;
  const bool both = seq_cst || order == std::memory_order_acq_rel;
  current->perform({.what = kind::fence,
                    .acquire = both || order == std::memory_order_acquire,
                    .release = both || order == std::memory_order_release,
                    .seq_cst = seq_cst});
}

/// A number in plain memory.
class plain_number {
 public:
  void set(std::uint64_t value) { current->perform({.what = kind::write, .place = place_, .value = value}); }
  std::uint64_t get() const { return current->perform({.what = kind::read, .place = place_}); }

 private:
  std::size_t place_ = current->plains++;
};

/// A pointer in plain memory, to an object of a model.
template <class T>
class plain_pointer {
 public:
  plain_pointer& operator=(T* to) {
    number_.set(number_of(to));
    return *this;
  }
  operator T*() const { return value_of<T*>(number_.get()); }

 private:
  plain_number number_;
};

/// A mutex: who locks it has seen all that was done before it was unlocked.
class mutex {
 public:
  void lock() { current->perform({.what = kind::lock, .place = place_, .value = 1, .acquire = true}); }
  void unlock() { current->perform({.what = kind::unlock, .place = place_, .release = true}); }

 private:
  std::size_t place_ = current->new_atomic();
};

/// What a thread finds in place of an exception that another one left.
struct left_error {
  std::uint64_t mark = 0;
};

/// An exception in plain memory: whether there is one.
class plain_error {
 public:
  plain_error& operator=(const std::exception_ptr& error) {
    number_.set(error ? 1 : 0);
    return *this;
  }
  operator std::exception_ptr() const { return std::make_exception_ptr(left_error{number_.get()}); }

 private:
  plain_number number_;
};

/// In place of `queue::standard_atomics`.
struct atomics {
  template <class T>
  using atomic = memory_model::atomic<T>;
  using plain_error = memory_model::plain_error;

  static constexpr std::memory_order publish = std::memory_order_release;
  static constexpr std::memory_order observe = std::memory_order_acquire;
};

/// An item whose every touch in a slot of the ring is an access of plain memory.
class item {
 public:
  item() { set(0); }
  explicit item(std::uint64_t value) { set(value); }
  item(item&& from) noexcept { set(from.get()); }
  item& operator=(item&& from) noexcept {
    set(from.get());
    return *this;
  }
  ~item() { set(0); }

  std::uint64_t get() const { return in_slot() ? current->perform({.what = kind::read, .place = place()}) : value_; }
  void set(std::uint64_t value) {
    if (in_slot()) {
      current->perform({.what = kind::write, .place = place(), .value = value});
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

/// A `std::deque` in plain memory, of at most two items at once.
template <class T>
class plain_deque {
 public:
  std::size_t size() const { return end_.get() - begin_.get(); }
  T front() const { return T{places_[begin_.get() % 2].get()}; }
  void push_back(T&& item) {
    const std::uint64_t end = end_.get();
    places_[end % 2].set(item.get());
    end_.set(end + 1);
  }
  void pop_front() {
    const std::uint64_t begin = begin_.get();
    places_[begin % 2].set(0);
    begin_.set(begin + 1);
  }

 private:
  plain_number begin_;
  plain_number end_;
  plain_number places_[2];
};

/// Waits until the other programs are over and sees all that they did.
inline void join() { current->perform({.what = kind::join, .acquire = true}); }

using log = std::vector<std::uint64_t>;

/// Programs that share a `World`, which `make` makes; each returns what the verdict looks at.
template <class World>
class explorer {
 public:
  using program = std::function<log(World&)>;
  using verdict = std::function<bool(const std::vector<log>&)>;

  /// `beyond`: for an atomic, the value that ends every loop of the programs.
  explorer(std::function<World()> make, std::vector<program> programs, verdict fine,
           std::map<std::size_t, std::uint64_t> beyond = {})
      : make_{std::move(make)}, programs_{std::move(programs)}, fine_{std::move(fine)}, beyond_{std::move(beyond)} {}

  /// True if no execution has a data race or a deadlock, and the verdict holds after each.
  bool holds() {
    seen_.clear();
    steps_.clear();
    outcomes_.clear();
    executions_ = 0;
    raced_ = stuck_ = refused_ = false;
    state begin;
    begin.threads.resize(programs_.size());
    const auto values = values_at_begin();
    for (std::size_t i = 0; i < values.size(); ++i) begin.writes[i].front().value = values[i];
    explore(begin);
    return !over();
  }
  bool raced() const { return raced_; }
  bool stuck() const { return stuck_; }
  std::size_t states() const { return seen_.size(); }
  /// Executions that differ in what a thread read, or in what happened before what.
  std::size_t executions() const { return executions_; }
  /// What the programs returned, in all executions.
  const std::set<std::vector<log>>& outcomes() const { return outcomes_; }

 private:
  using newest_writes = std::array<std::uint8_t, most_atomics>;
  using clocks = std::array<std::uint8_t, most_threads>;

  struct view {
    newest_writes newest{};  // of each atomic, the oldest write that can still be read
    clocks clock{};          // of each thread, its last step that happened before
    void join(const view& other) {
      for (std::size_t i = 0; i < newest.size(); ++i) newest[i] = std::max(newest[i], other.newest[i]);
      for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other.clock[i]);
    }
  };
  struct written {
    std::uint64_t value = 0;
    view message{};
    bool of_rmw = false;  // nothing comes between it and the write before it
  };
  struct cell {
    std::uint64_t value = 0;
    clocks last_write{};
    clocks last_read{};
  };
  struct thread_state {
    std::vector<std::uint64_t> answers{};
    view sees{};
    view fenced{};    // at its last release fence: what its relaxed writes hand on
    view gathered{};  // what relaxed loads found, for an acquire fence
    bool asleep = false;
  };
  struct state {
    std::vector<thread_state> threads{};
    std::array<std::vector<written>, most_atomics> writes = [] {
      std::array<std::vector<written>, most_atomics> first;
      first.fill(std::vector<written>(1));
      return first;
    }();
    std::array<cell, most_cells> cells{};
    newest_writes in_seq_cst{};  // of each atomic, the newest that operations in seq_cst have come to
  };
  struct next_step {
    std::optional<access> pending{};
    log result{};
  };

  bool over() const { return raced_ || stuck_ || refused_; }

  std::vector<std::uint64_t> values_at_begin() {
    std::vector<std::uint64_t> values;
    const std::vector<std::uint64_t> no_answers;
    replay run{.answers = &no_answers, .beyond = &beyond_, .making = &values};
    current = &run;
    [[maybe_unused]] const World world = make_();
    const std::vector<std::uint64_t> made = values;
    run.making = nullptr;
    return made;
  }

  const next_step& step_of(std::size_t thread, const std::vector<std::uint64_t>& answers) {
    auto [found, is_new] = steps_.try_emplace({thread, answers});
    if (is_new) {
      std::vector<std::uint64_t> values;
      replay run{.answers = &answers, .beyond = &beyond_, .making = &values};
      current = &run;
      World world = make_();
      run.making = nullptr;
      if constexpr (requires { world.slots(); }) {
        const std::span<const item> slots = world.slots();
        run.slots_begin = slots.data();
        run.slots_end = slots.data() + slots.size();
      }
      found->second.result = programs_[thread](world);
      found->second.pending = run.pending;
      if (!run.pending) run.pending = access{};  // the world's destructor is no part of the program
    }
    return found->second;
  }

  void explore(const state& now) {
    if (over() || !seen_.insert(key(now)).second) return;
    const std::size_t count = now.threads.size();
    std::vector<const next_step*> steps;
    std::size_t running = 0;
    for (std::size_t t = 0; t < count; ++t) {
      steps.push_back(&step_of(t, now.threads[t].answers));
      if (steps[t]->pending) ++running;
    }
    if (running == 0) return end(steps);
    // Accesses of plain memory come first: if they race, they do so in any order, and else no other thread can tell.
    for (std::size_t t = 0; t < count; ++t) {
      const auto& a = steps[t]->pending;
      if (a && (a->what == kind::read || a->what == kind::write)) return then(now, t, *a, 0);
    }
    bool any = false;
    for (std::size_t t = 0; t < count; ++t) {
      const auto& a = steps[t]->pending;
      if (!a || now.threads[t].asleep || (a->what == kind::join && running > 1)) continue;
      if (a->what == kind::lock && now.writes[a->place].back().value != 0) continue;
      any = true;
      take(now, t, *a);
    }
    if (!any) stuck_ = true;
  }

  void end(const std::vector<const next_step*>& steps) {
    ++executions_;
    std::vector<log> results;
    for (const next_step* step : steps) results.push_back(step->result);
    refused_ = refused_ || !fine_(results);
    outcomes_.insert(std::move(results));
  }

  /// Of an atomic or a mutex.
  void take(const state& now, std::size_t thread, const access& a) {
    const auto& writes = now.writes[a.place];
    std::size_t oldest = now.threads[thread].sees.newest[a.place];
    if (a.seq_cst) oldest = std::max<std::size_t>(oldest, now.in_seq_cst[a.place]);
    switch (a.what) {
      case kind::load:
        for (std::size_t w = oldest; w < writes.size(); ++w) then(now, thread, a, w);
        break;
      case kind::wait:
        if (writes.back().value == a.expected) {
          state next = now;
          next.threads[thread].asleep = true;
          explore(next);
        }
        for (std::size_t w = oldest; w < writes.size(); ++w) {
          if (writes[w].value != a.expected) then(now, thread, a, w);
        }
        break;
      case kind::store:
      case kind::exchange:
      case kind::add:
      case kind::set_bits:
      case kind::compare_exchange:  // behind which write
        for (std::size_t w = oldest; w < writes.size(); ++w) {
          const bool fails = a.what == kind::compare_exchange && writes[w].value != a.expected;
          if (fails || w + 1 == writes.size() || !writes[w + 1].of_rmw) then(now, thread, a, w);
        }
        break;
      case kind::notify: return notify(now, thread, a);
      case kind::lock:
      case kind::unlock: then(now, thread, a, writes.size() - 1); break;  // after all that was done with it
      default: then(now, thread, a, 0);
    }
  }

  /// Wakes one of those who sleep there, if there is any.
  void notify(const state& now, std::size_t thread, const access& a) {
    bool none = true;
    for (std::size_t t = 0; t < now.threads.size(); ++t) {
      if (!now.threads[t].asleep || step_of(t, now.threads[t].answers).pending->place != a.place) continue;
      none = false;
      state next = now;
      next.threads[t].asleep = false;
      then(next, thread, a, 0);
    }
    if (none) then(now, thread, a, 0);
  }

  void then(const state& now, std::size_t thread, const access& a, std::size_t choice) {
    state next = now;
    ++next.threads[thread].sees.clock[thread];
    next.threads[thread].answers.push_back(apply(next, thread, a, choice));
    explore(next);
  }

  std::uint64_t apply(state& s, std::size_t thread, const access& a, std::size_t choice) {
    thread_state& mine = s.threads[thread];
    switch (a.what) {
      case kind::join:
        for (const thread_state& other : s.threads) mine.sees.join(other.sees);
        return 0;
      case kind::fence: fence(s, mine, a); return 0;
      case kind::notify: return 0;
      case kind::read:
      case kind::write: return touch(s.cells.at(a.place), thread, a, mine.sees);
      case kind::load:
      case kind::wait: return read(s, mine, a, choice, a.acquire).value;
      case kind::store: write(s, thread, a, choice, a.value, nullptr); return 0;
      default: break;
    }
    // Locking and unlocking exchange the value of the mutex, too.
    const bool fails = a.what == kind::compare_exchange && s.writes[a.place][choice].value != a.expected;
    const written before = read(s, mine, a, choice, fails ? a.acquire_if_not : a.acquire);
    if (fails) return before.value;
    const std::uint64_t value = a.what == kind::add        ? before.value + a.value
                                : a.what == kind::set_bits ? before.value | a.value
                                                           : a.value;
    write(s, thread, a, choice, value, &before.message);
    return before.value;
  }

  static const written& read(state& s, thread_state& mine, const access& a, std::size_t choice, bool acquire) {
    const written& w = s.writes[a.place][choice];
    mine.sees.newest[a.place] = static_cast<std::uint8_t>(choice);
    (acquire ? mine.sees : mine.gathered).join(w.message);
    if (a.seq_cst) s.in_seq_cst[a.place] = static_cast<std::uint8_t>(choice);
    return w;
  }

  /// A write just behind another one. One that read that one, too, goes on with its release sequence.
  static void write(state& s, std::size_t thread, const access& a, std::size_t behind, std::uint64_t value,
                    const view* continued) {
    const auto place = static_cast<std::ptrdiff_t>(behind) + 1;
    const auto newest = static_cast<std::uint8_t>(behind + 1);
    const auto shift = [&](newest_writes& n) {
      if (n[a.place] >= newest) ++n[a.place];
    };
    shift(s.in_seq_cst);
    for (thread_state& t : s.threads) {
      for (view* v : {&t.sees, &t.fenced, &t.gathered}) shift(v->newest);
    }
    for (auto& writes : s.writes) {
      for (written& w : writes) shift(w.message.newest);
    }
    thread_state& mine = s.threads[thread];
    mine.sees.newest[a.place] = newest;
    view message = a.release ? mine.sees : mine.fenced;
    if (continued != nullptr) message.join(*continued);
    auto& writes = s.writes[a.place];
    writes.insert(writes.begin() + place, {value, message, continued != nullptr});
    if (a.seq_cst) s.in_seq_cst[a.place] = newest;
  }

  static void fence(state& s, thread_state& mine, const access& a) {
    if (a.acquire) mine.sees.join(mine.gathered);
    if (a.seq_cst) {
      for (std::size_t i = 0; i < most_atomics; ++i) {
        s.in_seq_cst[i] = mine.sees.newest[i] = std::max(s.in_seq_cst[i], mine.sees.newest[i]);
      }
    }
    if (a.release) mine.fenced = mine.sees;
  }

  std::uint64_t touch(cell& c, std::size_t thread, const access& a, const view& mine) {
    for (std::size_t other = 0; other < programs_.size(); ++other) {
      if (other == thread) continue;
      raced_ = raced_ || c.last_write[other] > mine.clock[other] ||
               (a.what == kind::write && c.last_read[other] > mine.clock[other]);
    }
    (a.what == kind::write ? c.last_write : c.last_read)[thread] = mine.clock[thread];
    if (a.what == kind::write) c.value = a.value;
    return c.value;
  }

  /// Everything that the future depends on; what threads did is in their answers, what is in memory follows from it but
  /// for views and the order of writes.
  static std::string key(const state& s) {
    std::string text;
    const auto add = [&](std::uint64_t number) {
      for (; number > 127; number >>= 7) text += static_cast<char>(128 | (number & 127));
      text += static_cast<char>(number);
    };
    const auto add_view = [&](const view& v) {
      for (const auto n : v.newest) add(n);
      for (const auto n : v.clock) add(n);
    };
    for (const thread_state& t : s.threads) {
      add(t.answers.size());
      for (const auto answer : t.answers) add(answer);
      for (const view* v : {&t.sees, &t.fenced, &t.gathered}) add_view(*v);
      add(t.asleep ? 1 : 0);
    }
    for (const auto& writes : s.writes) {
      add(writes.size());
      for (const auto& w : writes) {
        add(w.value);
        add(w.of_rmw ? 1 : 0);
        add_view(w.message);
      }
    }
    for (const auto& c : s.cells) {
      add(c.value);
      for (const auto n : c.last_write) add(n);
      for (const auto n : c.last_read) add(n);
    }
    for (const auto n : s.in_seq_cst) add(n);
    return text;
  }

  std::function<World()> make_;
  std::vector<program> programs_;
  verdict fine_;
  std::map<std::size_t, std::uint64_t> beyond_;
  std::map<std::pair<std::size_t, std::vector<std::uint64_t>>, next_step> steps_;
  std::unordered_set<std::string> seen_;
  std::set<std::vector<log>> outcomes_;
  std::size_t executions_ = 0;
  bool raced_ = false;
  bool stuck_ = false;
  bool refused_ = false;
};

/// Several programs that are explored in turn, until one does not hold.
struct counted_checks {
  bool hold = true;
  std::size_t states = 0;
  std::size_t executions = 0;

  template <class Explorer>
  void run(Explorer explorer) {
    if (!hold) return;
    hold = explorer.holds();
    states += explorer.states();
    executions += explorer.executions();
  }
};

template <class Explorer>
counted_checks counted(Explorer explorer) {
  counted_checks checks;
  checks.run(std::move(explorer));
  return checks;
}

/// Checks with every memory order, the orders that they come by, and those of them without which they still hold.
struct needed_orders {
  counted_checks with_all{};
  std::size_t all = 0;
  std::vector<std::string> not_needed{};
};

/// `check` returns the `counted_checks` of a structure: they hold with every order, and are run again without each in turn.
template <class Check>
needed_orders weaken_in_turn(Check check) {
  known_orders = {};
  needed_orders found{check()};
  if (!found.with_all.hold) {
    found.not_needed.push_back("the checks fail with all orders");
    return found;
  }
  const std::set<order_site> sites = known_orders.met;
  found.all = sites.size();
  for (const order_site& site : sites) {
    known_orders.weakened = site;
    if (check().hold) found.not_needed.push_back(site.text());
  }
  known_orders = {};
  return found;
}

}  // namespace memory_model
