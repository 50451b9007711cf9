// SPDX-License-Identifier: BSL-1.0
// One side of a ring: how many items it has passed on, and how far it may go. The producer follows the consumer at a
// lead of the ring's capacity, the consumer follows the producer at a lead of zero; otherwise they are the same
// algorithm. What a side needs for every item stands on a line of its own; the other side reads only the published
// count, and only when it has used up what it saw there last. Every item is published at once, so none can be stranded:
// it is the side that looks which saves traffic, by looking seldom.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/queue/atomics.hpp>

#include <cstddef>

namespace ipuflow::queue {

template <class Atomics = standard_atomics>
class ring_side {
 public:
  /// A side that may be `lead` items ahead of the other one, in a ring of that capacity.
  ring_side(std::size_t lead, std::size_t capacity)
      : limit_{lead}, lead_{lead}, batch_{algorithms::min<std::size_t>(capacity / 4, longest_batch)} {}

  /// Items this side has passed on since the ring was made; the position of the next one.
  [[nodiscard]] std::size_t position() const { return position_; }

  /// True if one more item can be passed on. Looks at the other side if none is known.
  [[nodiscard]] bool ready(const ring_side& other) {
    if (position_ != limit_) [[likely]]
      return true;
    return look_patiently(other) != 0;
  }

  /// The number of items that can be passed on. Looks at the other side if fewer than `wanted` are known.
  [[nodiscard]] std::size_t ready(const ring_side& other, std::size_t wanted) {
    const std::size_t known = limit_ - position_;
    return known < wanted ? look(other) : known;
  }

  /// Positions known to be this side's, from the next one on; never looks.
  [[nodiscard]] std::size_t known() const { return limit_ - position_; }

  /// Passes on the next `count` items: what this side did to their slots becomes visible to the other side.
  void advance(std::size_t count) { advance_to(position_ + count); }

  /// The same up to a position. A caller that has it at hand saves reading it again after the item was written, which
  /// might have changed it for all that the compiler knows.
  void advance_to(std::size_t position) {
    position_ = position;
    published_.store(position, Atomics::publish);  // partner: the observe in look() of the other side
  }

 private:
  static constexpr std::size_t longest_batch = 256;
  static constexpr std::size_t longest_patience = 64;

  std::size_t look(const ring_side& other) {
    limit_ = other.published_.load(Atomics::observe) + lead_;  // partner: the publish in advance_to() of the other side
    return limit_ - position_;
  }

  /// Two sides in step would fetch each other's line for every few items. A side that keeps finding some, but few,
  /// gives the other one time to finish more before it looks, as long as that is what waiting brings.
  [[gnu::noinline]] std::size_t look_patiently(const ring_side& other) {
    for (std::size_t i = 0; i < patience_; ++i) relax();
    const std::size_t gain = look(other);
    if (patience_ == 0) gain_at_once_ = gain;
    if (gain == 0 || gain < gain_at_once_ + patience_ / 2) {
      patience_ = 0;
    } else if (gain < batch_) {
      patience_ = algorithms::min(2 * patience_ + 1, longest_patience);
    } else if (gain > 2 * batch_) {
      patience_ /= 2;
    }
    return gain;
  }

  alignas(cache_line) std::size_t position_ = 0;
  std::size_t limit_;
  std::size_t lead_;
  std::size_t batch_;
  std::size_t patience_ = 0;      // pauses before the next look
  std::size_t gain_at_once_ = 0;  // by the last look without a pause
  alignas(cache_line) typename Atomics::template atomic<std::size_t> published_{0};
};

}  // namespace ipuflow::queue
