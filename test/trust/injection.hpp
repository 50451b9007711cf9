// SPDX-License-Identifier: BSL-1.0
// Makes things fail, one after the other: the n-th allocation, start of a thread, call of a user's function or system
// call, for every n that an operation has. After each the operation has thrown or has done its work, nothing is leaked,
// and the next use works. A point that hangs is named, and ends the program.
#pragma once

#include "sanitized.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace trust {

enum class fault {
  none,
  allocation,
  thread,     // cannot be started
  call,       // of a user's function, which throws
  end,        // no fault: a stop is asked for, a source has no more, or somebody leaves
  system,     // a system call fails, the disk being full
  outage,     // a system call fails, and every one after it
  signal,     // every system call that may be is broken off once
  in_pieces,  // every read and write does one byte
};
inline constexpr int kinds = static_cast<int>(fault::in_pieces) + 1;
constexpr const char* name_of(fault kind) {
  constexpr const char* names[] = {"none", "allocation", "thread", "call", "end", "system call", "outage", "signal", "in pieces"};
  static_assert(sizeof names / sizeof *names == kinds);
  return names[static_cast<int>(kind)];
}

/// From now on the event of this kind with this number fails.
void arm(fault kind, std::size_t number);
/// Nothing fails any more. Returns how many events of the kind there were.
std::size_t disarm();
/// How many files and folders were waited for until they are on the disk.
std::size_t synced();
/// Memory that was allocated and not released, in pieces.
std::size_t allocated();
/// From now on the most bytes that are allocated at a time, beside those that are now, are noted.
void measure();
std::size_t most_bytes();
/// What is held of the system: open files and folders, and files as memory.
std::size_t held();
/// Names what is under way to whoever has to say what hangs; nullptr ends it.
void under_way(const char* operation, fault kind, std::size_t number);

/// An event of a kind; true if it has to fail.
bool due(fault kind);

/// How far from point to point a long operation goes: with sanitizers each takes ten times as long.
inline constexpr std::size_t far_apart = sanitized_addresses ? 97 : 1;

struct failed_call : std::runtime_error {
  failed_call() : std::runtime_error{"the call has had enough"} {}
};
/// What a user's function calls, to throw when it is its turn.
inline void user_call() {
  if (due(fault::call)) throw failed_call{};
}
/// Whether it is this place's turn to stop, to end or to leave.
inline bool ends_here() { return due(fault::end); }

struct walked {
  std::size_t points = 0;
  std::size_t thrown = 0;
};
/// Adds a walk to the table by modules and kinds that is printed where the program ends.
void note(fault kind, const walked& seen);

/// Runs an operation with each of its events failing in turn. `after(threw)` checks the state that it left.
/// `every`: how far it is from one point to the next, where all would take too long. `own`: whether all that it makes is gone behind it; otherwise it uses something that keeps memory, which must not grow
/// from failure to failure.
template <class Run, class After>
walked walk(const char* operation, fault kind, Run&& run, After&& after, bool own = true, std::size_t every = 1) {
  under_way(operation, fault::none, 0);
  run();  // what is made once and kept, is made now
  after(false);
  under_way(nullptr, fault::none, 0);
  walked seen;
  std::size_t settled = 0;
  for (std::size_t number = 0;; number += every) {
    const std::size_t before = allocated(), opened = held();
    bool threw = false;
    under_way(operation, kind, number);
    arm(kind, number);
    try {
      run();
    } catch (const std::exception&) {
      threw = true;
    }
    const std::size_t events = disarm();
    const std::size_t kept = allocated();
    CAPTURE(std::string{operation});
    CAPTURE(std::string{name_of(kind)});
    CAPTURE(number);
    CHECK(held() == opened);
    if (own) CHECK(kept == before);
    after(threw);
    if (number == 3 * every) settled = allocated() + 8;
    if (!own && number > 3 * every) CHECK(allocated() <= settled);
    under_way(nullptr, kind, number);
    const bool all_the_time = kind == fault::signal || kind == fault::in_pieces;
    if (all_the_time) CHECK_FALSE(threw);  // these are no faults
    if (events <= number || all_the_time) {
      CHECK_FALSE(threw);
      if (all_the_time) seen.points = events;
      break;
    }
    ++seen.points;
    seen.thrown += threw ? 1 : 0;
  }
  std::printf("%-44s %-12s %6zu points, %6zu thrown\n", operation, name_of(kind), seen.points, seen.thrown);
  note(kind, seen);
  return seen;
}

template <class Run>
walked walk(const char* operation, fault kind, Run&& run) {
  return walk(operation, kind, run, [](bool) {});
}

/// The kinds that any operation may meet.
template <class Run, class After>
void walk_all(const char* operation, Run&& run, After&& after) {
  for (const fault kind : {fault::allocation, fault::thread, fault::call}) walk(operation, kind, run, after);
}
/// The same of something that was made before and is used again.
template <class Run, class After>
void walk_all_of_one(const char* operation, Run&& run, After&& after) {
  for (const fault kind : {fault::allocation, fault::thread, fault::call}) walk(operation, kind, run, after, false);
}
template <class Run>
void walk_all(const char* operation, Run&& run) {
  walk_all(operation, run, [](bool) {});
}

}  // namespace trust
