// SPDX-License-Identifier: BSL-1.0
// Parameters of the greedy rule, drawn.
#pragma once

#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/search_random.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// With memory for many micro-batches an IPU begins with as many forwards, and repeats nothing: a part is left free.
constexpr amount drawn_spare(const search_instance& of, search_random& random) {
  const amount unit = of.largest();
  const amount units = unit > 0 ? of.most_room() / unit : 0;
  if (units < 2 || random(4) == 0) return 0;
  return unit * static_cast<amount>(random(units < 1'000'000 ? static_cast<std::size_t>(units) : 1'000'000));
}

/// The time that an IPU waits for what is wanted more.
constexpr greedy_choice drawn_patience(const search_instance& of, search_random& random) {
  greedy_choice by;
  if (random(2) == 0) by.patience = random(2) == 0 ? 256 : static_cast<amount>(random(256));
  if (random(4) == 0) by.room = of.largest();
  by.blocks = of.capacity != nowhere && random(2) == 0;
  if (random(3) != 0) by.weights = random(2) == 0 ? 256 : static_cast<amount>(random(256));
  return by;
}

/// The same, and what of the memory is kept for what.
constexpr greedy_choice drawn_choice(const search_instance& of, search_random& random) {
  greedy_choice by = drawn_patience(of, random);
  const amount unit = of.largest();
  if (random(2) == 0) by.room = random(2) == 0 ? unit : unit * static_cast<amount>(random(8)) / 2;
  if (of.chunked() && random(2) == 0 && unit > 0) {
    const amount units = of.most_room() / unit;
    const std::size_t most = units < 1000 ? static_cast<std::size_t>(units) : 1000;
    by.first_chunk = unit * static_cast<amount>(1 + random(1 + most * 3 / 4));
  }
  return by;
}

}  // namespace ipuflow::schedule::impl
