// SPDX-License-Identifier: BSL-1.0
// A link connects two neighbouring stages: activations go forward, gradients go back. Activations are not copied by the
// sender: the receiver is told where they are and copies them into its own stash, which it has done long before the
// sender's backward pass lets go of them. Gradients are written in place into slots that are read in place.
#pragma once

#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/train/threads/memory_block.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// Activations of a micro-batch, in memory of the stage that made them.
struct activations {
  std::byte* memory = nullptr;
  std::size_t micro_batch = 0;
};

/// Gradients of a micro-batch, in memory that goes with them.
struct gradients {
  memory_block memory;
  std::size_t micro_batch = 0;
};

template <class = void>
class basic_link {
 public:
  /// `outgoing`: how many activations may be under way. `incoming`: how many gradients, of `gradient_bytes` each.
  basic_link(std::size_t outgoing, std::size_t incoming, std::size_t gradient_bytes)
      : forward{outgoing}, backward{incoming, [&] { return gradients{memory_block{gradient_bytes}, 0}; }} {}

  queue::spsc_ring<activations> forward;
  queue::slot_ring<gradients> backward;

  /// Forgets what is under way; only while no thread uses the link.
  void clear() {
    while (const std::size_t left = forward.peek(forward.capacity()).size()) forward.release(left);
    while (const std::size_t left = backward.peek(backward.capacity()).size()) backward.release(left);
  }
};
using link = basic_link<>;

}  // namespace ipuflow::train::impl
