// SPDX-License-Identifier: BSL-1.0
// An IPU that repeats a block of six operations, as a program: each of the six begins with its own cell, so that the phases are what of
// the block has begun and has not ended. Gradients for weights run in the cells that the other four leave free.
#pragma once

#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/generators/squeeze.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// An operation of a block, and its cell for the first micro-batch.
struct block_cell {
  beat what{};
  std::size_t at = 0;
};

inline constexpr std::size_t block_length = 6;

/// All six cells: a gradient for weights is in the first free one behind its backward, or the two are the other way round where they
/// keep less so.
struct whole_block {
  block_cell of[block_length]{};

  constexpr explicit whole_block(const block_cells& cells) {
    constexpr pass kinds[] = {pass::forward, pass::forward, pass::backward_inputs, pass::backward_inputs};
    constexpr unsigned char chunks[] = {0, 1, 1, 0};
    bool taken[block_length]{};
    for (std::size_t i = 0; i < 4; ++i) {
      of[i] = {{kinds[i], chunks[i]}, cells.of[i]};
      taken[cells.of[i] % block_length] = true;
    }
    std::size_t free[2]{};
    for (std::size_t cell = 0, i = 0; cell < block_length && i < 2; ++cell) {
      if (!taken[cell]) free[i++] = cell;
    }
    const auto behind = [](std::size_t back, std::size_t residue) { return back + 1 + (residue + block_length - (back + 1) % block_length) % block_length; };
    const std::size_t straight = behind(cells.of[2], free[0]) + behind(cells.of[3], free[1]);
    const std::size_t crossed = behind(cells.of[2], free[1]) + behind(cells.of[3], free[0]);
    const std::size_t first = straight <= crossed ? 0 : 1;
    of[4] = {{pass::backward_weights, 1}, behind(cells.of[2], free[first])};
    of[5] = {{pass::backward_weights, 0}, behind(cells.of[3], free[1 - first])};
  }
};

/// The phases of an IPU with that block, for a number of micro-batches.
class block_phases {
 public:
  constexpr block_phases(const whole_block& block, std::size_t count) : block_{block}, count_{count} {}

  constexpr phase_list phases() const {
    phase_list found;
    std::size_t end = 0;
    std::size_t at = nowhere;
    for (const block_cell& c : block_.of) {
      at = c.at < at ? c.at : at;
      end = end_of(c) > end ? end_of(c) : end;
    }
    while (at < end) {
      const std::size_t times = alike(at);
      add(found, at, times);
      at += times * block_length;
    }
    return found;
  }

 private:
  constexpr std::size_t end_of(const block_cell& c) const { return c.at + block_length * (count_ - 1) + 1; }
  /// The first cell of an operation from a cell on, whether it runs there or not.
  static constexpr std::size_t cell_from(const block_cell& c, std::size_t at) { return at + (c.at % block_length + block_length - at % block_length) % block_length; }

  /// The number of blocks from a cell on that have the same operations.
  constexpr std::size_t alike(std::size_t at) const {
    std::size_t least = nowhere;
    for (const block_cell& c : block_.of) {
      const std::size_t cell = cell_from(c, at);
      const std::size_t change = cell < c.at ? c.at : cell < end_of(c) ? end_of(c) - 1 + block_length : nowhere;
      if (change != nowhere && (change - cell) / block_length < least) least = (change - cell) / block_length;
    }
    return least;
  }
  /// The operations of the block that begins with a cell, repeated.
  constexpr void add(phase_list& to, std::size_t begin, std::size_t times) const {
    program_phase phase{.times = times};
    for (std::size_t cell = begin; cell < begin + block_length; ++cell) {
      for (const block_cell& c : block_.of) {
        if (cell >= c.at && cell < end_of(c) && cell % block_length == c.at % block_length) phase.beats.push_back(c.what);
      }
    }
    if (!phase.beats.empty()) to.push_back(phase);
  }

  const whole_block& block_;
  std::size_t count_;
};

}  // namespace ipuflow::schedule::impl
