// SPDX-License-Identifier: BSL-1.0
// What holds for every ring, stated once: it does what a deque would do, step for step, and nothing of it is left
// behind.
#pragma once

#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/queue_fault.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>

#include "oracle.hpp"

namespace ring_laws {

using ipuflow::rejected;
using ipuflow::queue::queue_fault;
using ipuflow::queue::queue_wrong;

template <class Ring>
void push_single(Ring& ring, std::deque<std::uint64_t>& model, std::uint64_t& next) {
  using item_type = typename Ring::value_type;
  const bool fits = model.size() < ring.capacity();
  item_type item{next};
  REQUIRE(ring.try_push(std::move(item)) == fits);
  if (fits) {
    model.push_back(next++);
  } else {
    REQUIRE(oracle::value_of(item) == next);  // untouched
  }
}

template <class Ring>
void push_in_place(Ring& ring, std::deque<std::uint64_t>& model, std::uint64_t& next, oracle::dice& dice) {
  using item_type = typename Ring::value_type;
  const std::size_t wanted = dice.below(ring.capacity() + 3);
  const auto places = ring.reserve(wanted);
  REQUIRE(places.size() <= std::min(wanted, ring.capacity() - model.size()));
  REQUIRE((places.size() > 0 || wanted == 0 || model.size() == ring.capacity()));
  const std::size_t kept = dice.below(places.size() + 1);
  for (std::size_t i = 0; i < kept; ++i) {
    places[i] = item_type{next};
    model.push_back(next++);
  }
  REQUIRE_THROWS_AS(ring.commit(places.size() + 1), rejected<queue_fault>);
  ring.commit(kept);
}

template <class Ring>
void pop_single(Ring& ring, std::deque<std::uint64_t>& model, bool into) {
  using item_type = typename Ring::value_type;
  item_type item{0};
  bool popped = false;
  if (into) {
    popped = ring.try_pop(item);
  } else if (auto got = ring.try_pop()) {
    item = std::move(*got);
    popped = true;
  }
  REQUIRE(popped == !model.empty());
  if (!popped) return;
  REQUIRE(oracle::value_of(item) == model.front());
  model.pop_front();
}

template <class Ring>
void pop_in_place(Ring& ring, std::deque<std::uint64_t>& model, oracle::dice& dice) {
  const std::size_t wanted = dice.below(ring.capacity() + 3);
  const auto items = ring.peek(wanted);
  REQUIRE(items.size() <= std::min(wanted, model.size()));
  REQUIRE((items.size() > 0 || wanted == 0 || model.empty()));
  for (std::size_t i = 0; i < items.size(); ++i) REQUIRE(oracle::value_of(items[i]) == model[i]);
  const std::size_t kept = dice.below(items.size() + 1);
  REQUIRE_THROWS_AS(ring.release(model.size() + 1), rejected<queue_fault>);
  ring.release(kept);
  model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(kept));
}

/// Random operations of one thread that is both ends, next to a deque.
template <class Ring>
void does_what_a_deque_does(std::size_t capacity, std::size_t operations) {
  Ring ring{capacity};
  REQUIRE(ring.capacity() == capacity);
  std::deque<std::uint64_t> model;
  std::uint64_t next = 1;
  oracle::dice dice{capacity};
  for (std::size_t i = 0; i < operations; ++i) {
    const std::size_t which = dice.below(i / 512 % 2 == 0 ? 7 : 5);  // fuller for a while, then emptier
    if (which == 0) pop_single(ring, model, false);
    if (which == 1) pop_single(ring, model, true);
    if (which == 2) pop_in_place(ring, model, dice);
    if (which == 3) push_in_place(ring, model, next, dice);
    if (which >= 4) push_single(ring, model, next);
    REQUIRE(ring.readable() == model.size());
    REQUIRE(ring.writable() == capacity - model.size());
  }
}

template <template <class> class Ring>
void behaves() {
  for (const std::size_t capacity : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 64u, 100u}) {
    CAPTURE(capacity);
    does_what_a_deque_does<Ring<std::uint64_t>>(capacity, 5000);
    does_what_a_deque_does<Ring<oracle::owner>>(capacity, 5000);
    REQUIRE(oracle::owner::alive == 0);
  }
}

/// A type that throws when told to: what fails changes nothing.
struct fussy {
  static inline int fuse = -1;
  static void burn() {
    if (fuse >= 0 && fuse-- == 0) throw std::runtime_error{"fussy"};
  }
  fussy() : fussy{0} {}
  explicit fussy(int number) : value{number} { ++alive; }
  fussy(const fussy& other) : value{other.value} {
    burn();
    ++alive;
  }
  fussy& operator=(const fussy&) = delete;
  ~fussy() { --alive; }
  static inline int alive = 0;
  int value;
};

/// The constructor throws the first time, or the second and so on, until it is called less often than that: `act` has done all then,
/// and nothing each time before.
template <class Act, class Untouched>
void throws_or_does(Act act, Untouched untouched) {
  for (int fuse = 0;; ++fuse) {
    fussy::fuse = fuse;
    try {
      act();
      fussy::fuse = -1;
      return;
    } catch (const std::runtime_error&) {
      untouched();
    }
  }
}

template <template <class> class Ring>
void survives_throwing_items() {
  {
    Ring<fussy> ring{2};
    const fussy one{1};
    bool done = false;
    throws_or_does([&] { done = ring.try_push(one); },
                   [&] {
                     CHECK(ring.readable() == 0);
                     CHECK(ring.writable() == 2);
                     CHECK(fussy::alive == 1);
                   });
    CHECK(done);
    throws_or_does([&] { done = ring.try_pop()->value == 1; },
                   [&] {
                     CHECK(ring.readable() == 1);
                     CHECK(fussy::alive == 2);
                   });
    CHECK(done);
    CHECK(fussy::alive == 1);
    std::size_t reserved = 0;
    throws_or_does(
        [&] {
          if (reserved == 0) {
            const auto places = ring.reserve(2);
            for (fussy& place : places) place.value = static_cast<int>(++reserved);
          }
          ring.commit(reserved);
        },
        [&] { CHECK(ring.readable() == 0); });
    CHECK(ring.readable() == reserved);
    CHECK(ring.try_pop()->value == 1);
    CHECK(ring.readable() == reserved - 1);
  }
  CHECK(fussy::alive == 0);
}

template <class Ring>
std::string refusal(std::size_t capacity) {
  try {
    Ring ring{capacity};
  } catch (const ipuflow::error& wrong) {
    return wrong.what();
  }
  return "";
}

}  // namespace ring_laws
