// SPDX-License-Identifier: BSL-1.0
// The starts and ends of trains that are to come, as a heap.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/line.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// Trains that start or end, the next one first.
class train_turns {
 public:
  struct turn {
    step_number at = 0;
    std::uint32_t line = 0;
    bool starts = true;

    constexpr bool before(const turn& o) const { return at != o.at ? at < o.at : !starts && o.starts; }  // ends make room for starts
  };

  [[nodiscard]] constexpr bool empty() const { return heap_.empty(); }
  [[nodiscard]] constexpr const turn& next() const { return heap_[0]; }
  constexpr void add(turn t) {
    heap_.push_back(t);
    rise(heap_.size() - 1);
  }
  constexpr turn take() {
    const turn taken = heap_[0];
    heap_[0] = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0);
    return taken;
  }
  /// Changes all of them: `change(turn)`.
  template <class Change>
  constexpr void change(Change change) {
    for (turn& t : heap_) change(t);
    for (std::size_t i = heap_.size() / 2; i-- > 0;) sink(i);
  }

 private:
  constexpr void rise(std::size_t i) {
    for (; i > 0 && heap_[i].before(heap_[(i - 1) / 2]); i = (i - 1) / 2) swap(i, (i - 1) / 2);
  }
  constexpr void sink(std::size_t i) {
    for (std::size_t child = 2 * i + 1; child < heap_.size(); i = child, child = 2 * i + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(heap_[i])) return;
      swap(i, child);
    }
  }
  constexpr void swap(std::size_t a, std::size_t b) {
    const turn kept = heap_[a];
    heap_[a] = heap_[b];
    heap_[b] = kept;
  }

  dynamic_array<turn> heap_{};
};

}  // namespace ipuflow::schedule::impl
