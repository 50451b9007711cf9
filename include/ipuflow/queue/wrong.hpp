// SPDX-License-Identifier: BSL-1.0
// What can be wrong in the use of a queue, and the sentence for each.
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
  not_an_object
};

/// `where` is unused; `got` was asked for, `limit` would have been allowed.
constexpr message_text sentence(const fault<queue_wrong>& f) {
  switch (f.kind) {
    case queue_wrong::no_capacity:
      return words("ipuflow: a queue is asked to hold ", f.got, " items; give it a capacity from ", f.limit, " up");
    case queue_wrong::capacity_too_large:
      return words("ipuflow: a queue is asked to hold ", f.got,
                   " items, more than memory has addresses for; give it a capacity of at most ", f.limit);
    case queue_wrong::commit_too_large:
      return words("ipuflow: ", f.got, " items are committed of ", f.limit,
                   " that were reserved; commit at most the size of the span that reserve gave");
    case queue_wrong::release_too_large:
      return words("ipuflow: ", f.got, " items are released of ", f.limit,
                   " that were seen; release at most the size of the span that peek gave");
    case queue_wrong::not_an_object:
      return words("ipuflow: a queue holds objects that can be moved; queue a value or a pointer");
    default:
      return words(
          "ipuflow: an item is pushed after the producer ended its stream; push first, then close, stop or fail");
  }
}

}  // namespace ipuflow::queue
