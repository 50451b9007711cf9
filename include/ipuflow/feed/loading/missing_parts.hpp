// SPDX-License-Identifier: BSL-1.0
// The number of parts of a step that no worker has filled yet. The loader's thread says how many there are, workers count
// them down, and at none the loader's thread reads what all of them wrote.
#pragma once

#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::feed::impl {

template <class Atomics = queue::standard_atomics>
class basic_missing_parts {
 public:
  /// The loader's thread, before it sends the parts to workers.
  void expect(std::size_t parts) { left_.store(parts, std::memory_order_relaxed); }  // no partner: the order carries it

  /// A worker has filled a part. True for the last one.
  bool filled_one() {
    return left_.fetch_sub(1, std::memory_order_release) == 1;  // partner: the acquire in none(); it sees all parts
  }

  [[nodiscard]] bool none() const {
    return left_.load(std::memory_order_acquire) == 0;  // partner: the release in filled_one()
  }

 private:
  typename Atomics::template atomic<std::size_t> left_{0};
};

using missing_parts = basic_missing_parts<>;

}  // namespace ipuflow::feed::impl
