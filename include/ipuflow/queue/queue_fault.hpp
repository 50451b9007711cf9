// SPDX-License-Identifier: BSL-1.0
// Faults in the use of a queue, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::queue {

enum class queue_wrong : unsigned char {
  nothing,
  no_capacity,
  capacity_too_large,
  commit_too_large,
  release_too_large,
  after_end,
  no_type,
  not_an_object,
  not_a_ring,
  other_items,
  not_waiting,
  filled_in_place,
  read_in_place,
  only_moves,
  no_item,
  not_for_ring,
  not_a_channel
};
using queue_fault = fault<queue_wrong>;

constexpr const char* wording(queue_wrong wrong) {
  switch (wrong) {
    case queue_wrong::nothing:
      break;
    case queue_wrong::no_capacity:
      return "ipuflow: a queue is asked to hold {got} item{s}; give it a capacity from {limit} up";
    case queue_wrong::capacity_too_large:
      return "ipuflow: a queue is asked to hold {got} item{s}, more than memory has addresses for; give it a capacity of at most {limit}";
    case queue_wrong::commit_too_large:
      return "ipuflow: {got} item{s} {is|are} committed of {limit} that were reserved; commit at most the size of the span that reserve gave";
    case queue_wrong::release_too_large:
      return "ipuflow: {got} item{s} {is|are} released of {limit} that were seen; release at most the size of the span that peek gave";
    case queue_wrong::no_type:
      return "ipuflow: a channel does not know what its items are; say it, make_channel<T>(capacity)";
    case queue_wrong::not_an_object:
      return "ipuflow: a queue holds objects that can be moved; queue a value or a pointer";
    case queue_wrong::not_a_ring:
      return "ipuflow: a channel is asked for with something that is not a ring behind its items; name the ring before the way of waiting";
    case queue_wrong::other_items:
      return "ipuflow: the ring of a channel holds items of another type; name the ring alone, make_channel<ring>(capacity)";
    case queue_wrong::not_waiting:
      return "ipuflow: an end of a channel cannot wait with this type; give spin, spin_then_yield, block, or a type with wait(ready) and wake()";
    case queue_wrong::filled_in_place:
      return "ipuflow: a single item is pushed into a ring that is filled in place; reserve and commit";
    case queue_wrong::read_in_place:
      return "ipuflow: a single item is popped from a ring that is read in place; peek and release, or loop over the consumer";
    case queue_wrong::only_moves:
      return "ipuflow: push_all copies, but these items only move; push(std::move(item)) one by one";
    case queue_wrong::no_item:
      return "ipuflow: an item is pushed that does not become one of the queue; push one of its type, and move what only moves";
    case queue_wrong::not_for_ring:
      return "ipuflow: what stands behind the capacity of a channel goes to its ring, which cannot take it; name ways of waiting and statistics as types";
    case queue_wrong::not_a_channel:
      return "ipuflow: an end of a queue is a producer or consumer of a channel, and not of its items; name it decltype(make_channel<T>(1).in), or .out";
    case queue_wrong::after_end:
      return "ipuflow: an item is pushed after the producer ended its stream; push first, then close, stop or fail";
  }
  return "";
}

/// `got` was asked for, `limit` would have been allowed.
constexpr message_text sentence(const queue_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

namespace impl {

/// The fault of a `producer` or `consumer` of something that has no ends.
template <class Channel>
constexpr queue_fault verify_end() {
  return {requires { typename Channel::ring_type; } ? queue_wrong::nothing : queue_wrong::not_a_channel};
}

}  // namespace impl

}  // namespace ipuflow::queue

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<queue::queue_fault>;
}
#endif
