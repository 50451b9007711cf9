// SPDX-License-Identifier: BSL-1.0
// The memory of one branch of a stage in one copy: what it keeps of each micro-batch in flight, how much of that for
// how long, and where a pass finds it. All is set aside when the stash is made, as much as the timetable was found to
// keep.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/train/threads/memory_block.hpp>
#include <ipuflow/train/threads/stash.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// The values that a stage keeps from a forward pass to its backward pass.
enum class keeping : unsigned char {
  nothing,      ///< inference
  activations,  ///< all that the backward pass reads
  entries,      ///< what entered; the rest is made again before the backward pass
  checkpoints   ///< what entered and what is stored in between; the rest is made again within the backward pass
};

class stage_stash {
 public:
  /// The facts that a stage knows of itself; `entry_elsewhere`: what enters may be read where it is and need not be kept.
  struct needs {
    std::size_t micro_batches = 1;
    keeping what = keeping::nothing;
    bool entry_elsewhere = false;
    bool exit_lasts = false;  ///< what leaves is read again
  };

  [[gnu::cold]] stage_stash(const nn::area_sizes& layout, const stash& keep, const needs& n) : what_{n.what}, flights_(n.micro_batches) {
    const auto of = [&](nn::area where) { return layout.bytes_of_values(where).value; };
    const auto slopes = [&](nn::area where) { return layout.bytes_of_gradients(where).value; };
    const bool trains = what_ != keeping::nothing;
    exit_lasts_ = what_ == keeping::activations || (what_ == keeping::checkpoints && n.exit_lasts);
    kept_ = of(nn::area::kept);
    stored_ = of(nn::area::stored);
    kept_slopes_ = slopes(nn::area::kept);
    const std::size_t exit = of(nn::area::exit);
    const std::size_t whole = kept_ + stored_ + exit;
    passing_ = memory_block{of(nn::area::passing)};
    passing_slopes_ = memory_block{slopes(nn::area::passing)};
    if (!n.entry_elsewhere) entries_ = {trains ? keep.in_flight : 1, of(nn::area::entry)};
    if (trains) slopes_ = {keep.slopes, kept_slopes_ + slopes(nn::area::exit)};
    switch (what_) {
      case keeping::activations:
        activations_ = {keep.in_flight, whole};
        return;
      case keeping::entries:
        activations_ = {keep.recomputed, whole};
        scratch_ = memory_block{kept_ + stored_};
        break;
      case keeping::checkpoints:
        checkpoints_ = {keep.in_flight, stored_ + (exit_lasts_ ? exit : 0)};
        scratch_ = memory_block{kept_ + exit};
        break;
      default:
        scratch_ = memory_block{kept_ + stored_};
    }
    if (!exit_lasts_) outgoing_ = {keep.outgoing, exit};
  }

  /// The number of micro-batches that may be on their way to the next stage.
  [[nodiscard]] static std::size_t room_for_outgoing(const stash& keep, keeping what) {
    return what == keeping::activations ? keep.in_flight : keep.outgoing;
  }

  /// For a forward pass; without an entry if that is elsewhere.
  nn::stage_memory forward(std::size_t m) {
    flight& f = flights_[m];
    nn::stage_memory memory = bare();
    if (entries_.size() > 0) {
      f.entry = what_ == keeping::nothing ? 0 : entries_.take();
      memory.value(nn::area::entry) = entries_[f.entry];
    }
    if (what_ == keeping::activations) {
      f.values = activations_.take();
      attach(memory, activations_[f.values]);
      return memory;
    }
    memory.value(nn::area::kept) = scratch_.data();
    memory.value(nn::area::stored) = scratch_.data() + kept_;
    if (what_ == keeping::checkpoints) {
      f.values = checkpoints_.take();
      memory.value(nn::area::stored) = checkpoints_[f.values];
    }
    memory.value(nn::area::exit) =
        exit_lasts_ ? checkpoints_[f.values] + stored_ : outgoing_[next_outgoing_++ % outgoing_.size()];
    return memory;
  }

  /// For making activations again, apart from the backward pass.
  nn::stage_memory recompute(std::size_t m) {
    flight& f = flights_[m];
    f.values = activations_.take();
    nn::stage_memory memory = bare();
    memory.value(nn::area::entry) = entries_[f.entry];
    attach(memory, activations_[f.values]);
    return memory;
  }

  /// For the first of the backward passes of a micro-batch.
  nn::stage_memory begin_backward(std::size_t m) {
    flights_[m].slopes = slopes_.take();
    return backward(m);
  }
  /// For the one after it.
  [[nodiscard]] nn::stage_memory backward(std::size_t m) const {
    const flight& f = flights_[m];
    nn::stage_memory memory = bare();
    memory.value(nn::area::entry) = entries_[f.entry];
    if (what_ == keeping::checkpoints) {
      memory.value(nn::area::kept) = scratch_.data();
      memory.value(nn::area::stored) = checkpoints_[f.values];
      memory.value(nn::area::exit) = exit_lasts_ ? checkpoints_[f.values] + stored_ : scratch_.data() + kept_;
    } else {
      attach(memory, activations_[f.values]);
    }
    memory.gradient(nn::area::kept) = slopes_[f.slopes];
    memory.gradient(nn::area::exit) = slopes_[f.slopes] + kept_slopes_;
    return memory;
  }

  /// After the last one.
  void let_go(std::size_t m) {
    const flight& f = flights_[m];
    entries_.give(f.entry);
    (what_ == keeping::checkpoints ? checkpoints_ : activations_).give(f.values);
    slopes_.give(f.slopes);
  }

  /// Forgets what an unfinished run has left.
  void clear() {
    entries_.clear();
    activations_.clear();
    checkpoints_.clear();
    slopes_.clear();
    next_outgoing_ = 0;
  }

  /// The bytes of all values but those that last no longer than a layer.
  [[nodiscard]] std::size_t bytes() const {
    return entries_.bytes() + activations_.bytes() + checkpoints_.bytes() + outgoing_.bytes() + scratch_.size();
  }

 private:
  /// The blocks that a micro-batch has.
  struct flight {
    std::size_t entry = 0;
    std::size_t values = 0;
    std::size_t slopes = 0;
  };

  nn::stage_memory bare() const {
    nn::stage_memory memory;
    memory.value(nn::area::passing) = passing_.data();
    memory.gradient(nn::area::passing) = passing_slopes_.data();
    return memory;
  }
  void attach(nn::stage_memory& memory, std::byte* block) const {
    memory.value(nn::area::kept) = block;
    memory.value(nn::area::stored) = block + kept_;
    memory.value(nn::area::exit) = block + kept_ + stored_;
  }

  keeping what_;
  bool exit_lasts_ = false;
  std::size_t kept_ = 0;
  std::size_t stored_ = 0;
  std::size_t kept_slopes_ = 0;
  dynamic_array<flight> flights_;
  memory_block passing_;
  memory_block passing_slopes_;
  memory_block scratch_;
  memory_pool entries_;
  memory_pool activations_;
  memory_pool checkpoints_;
  memory_pool outgoing_;  // taken in turns: what left is there until the next stage has read it
  memory_pool slopes_;
  std::size_t next_outgoing_ = 0;
};

}  // namespace ipuflow::train::impl
