// SPDX-License-Identifier: BSL-1.0
// The log of a run of trains, which says of each operation what it waited for: a bit for each IPU and step, 1 if it was the message. Steps
// that were left out are like those of the cycle before them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/path_visits.hpp>
#include <ipuflow/schedule/forms/line.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// Steps that were left out; each is like the one a cycle before it.
struct steps_left_out {
  step_number at = 0;
  step_number steps = 0;
  step_number cycle = 1;
  std::size_t rows = 0;  ///< steps before them that were not left out
};

template <class = void>
class basic_train_log {
 public:
  constexpr explicit basic_train_log(std::size_t lanes) : words_{(lanes + 63) / 64}, said_{64 * words_} {}

  /// By IPU, what the operations of the next step waited for: 1 for the message, 0 for their IPU. Those of others are of no use.
  constexpr std::uint8_t* said() { return said_.data(); }
  /// Keeps what was said; where there is no more room, nothing.
  constexpr void keep() {
    const std::size_t row = rows_++ % rows_in_block;
    if (row == 0) {
      full_ = full_ || rows_ * words_ > most_words;
      if (!full_) blocks_.push_back(dynamic_array<std::uint64_t>{rows_in_block * words_});
    }
    if (full_) return;
    std::uint64_t* const made = blocks_.back().data() + row * words_;
    for (std::size_t i = 0; i < words_; ++i) made[i] = word_of(said_.data() + 64 * i);
  }
  constexpr void leave_out(step_number at, step_number steps, step_number cycle) {
    if (steps > 0) left_out_.push_back({at, steps, cycle, rows_});
  }

  /// True where a run does not repeat for so long that its log would take too much memory: it is of no use then.
  [[nodiscard]] constexpr bool full() const { return full_; }
  [[nodiscard]] constexpr bool message(step_number step, std::size_t lane) const {
    const steps_left_out* const skip = left_out_at(step);
    std::size_t row = static_cast<std::size_t>(step);
    if (skip != nullptr) {
      const step_number more = step - skip->at;
      row = skip->rows;
      row = more >= skip->steps ? row + static_cast<std::size_t>(more - skip->steps) : row - static_cast<std::size_t>(skip->cycle - more % skip->cycle);
    }
    const std::uint64_t word = blocks_[row / rows_in_block][row % rows_in_block * words_ + lane / 64];
    return (word >> lane % 64 & 1) != 0;
  }
  /// The last steps that were left out at or before a step.
  [[nodiscard]] constexpr const steps_left_out* left_out_at(step_number step) const {
    return left_out_before(left_out_, 0, left_out_.size(), step);
  }

 private:
  static constexpr std::size_t rows_in_block = 256;
  static constexpr std::size_t most_words = std::size_t{1} << 23;  // of eight bytes

  /// A bit for each of 64 bytes that are 0 or 1. The product moves the bits of eight bytes next to each other, without carries.
  static constexpr std::uint64_t word_of(const std::uint8_t* said) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      std::uint64_t eight = 0;
      for (std::size_t j = 0; j < 8; ++j) eight |= std::uint64_t{said[8 * i + j]} << 8 * j;
      word |= eight * 0x0102'0408'1020'4080 >> 56 << 8 * i;
    }
    return word;
  }

  std::size_t words_;
  std::size_t rows_ = 0;
  bool full_ = false;
  dynamic_array<std::uint8_t> said_;
  dynamic_array<dynamic_array<std::uint64_t>> blocks_{};
  dynamic_array<steps_left_out> left_out_{};
};

using train_log = basic_train_log<>;

}  // namespace ipuflow::schedule::impl
