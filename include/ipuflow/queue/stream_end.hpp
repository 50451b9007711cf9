// SPDX-License-Identifier: BSL-1.0
// The end of a stream. Either side may end it, in its own way and once; both sides read one word per item, which stays
// in their caches until it changes.
#pragma once

#include <ipuflow/queue/atomics.hpp>

#include <atomic>
#include <exception>
#include <utility>

namespace ipuflow::queue {

enum class how_ended : unsigned char {
  closed,            // by the producer, after its last item
  failed,            // by the producer, after its last item, with an exception
  producer_stopped,  // at once
  consumer_stopped,  // at once
  consumer_failed,   // at once, with an exception
};

/// The ways in which a stream was ended so far: none while it goes on, and each side may add its own.
class endings {
 public:
  constexpr endings() = default;
  constexpr explicit endings(unsigned bits) : bits_{bits} {}

  static constexpr unsigned bit(how_ended how) { return 1u << static_cast<unsigned>(how); }

  /// True if one of these is among them; it costs one comparison.
  template <class... How>
  [[nodiscard]] constexpr bool any_of(How... how) const {
    return (bits_ & (bit(how) | ...)) != 0;
  }
  [[nodiscard]] constexpr bool any() const { return bits_ != 0; }
  [[nodiscard]] constexpr bool by_producer() const {
    return any_of(how_ended::closed, how_ended::failed, how_ended::producer_stopped);
  }
  [[nodiscard]] constexpr bool by_consumer() const { return any_of(how_ended::consumer_stopped, how_ended::consumer_failed); }
  /// With no regard to items left in the ring.
  [[nodiscard]] constexpr bool at_once() const {
    return any_of(how_ended::producer_stopped, how_ended::consumer_stopped, how_ended::consumer_failed);
  }

  friend constexpr bool operator==(const endings&, const endings&) = default;

 private:
  unsigned bits_ = 0;
};

template <class Atomics = standard_atomics>
class basic_stream_end {
 public:
  [[nodiscard]] endings seen() const {
    return endings{bits_.load(std::memory_order_acquire)};  // partner: the release in set() and fail()
  }

  void set(how_ended how) {
    bits_.fetch_or(endings::bit(how), std::memory_order_release);  // partner: the acquire in seen()
  }

  /// Leaves an exception for the other side; each side calls it once at most.
  void fail(how_ended how, std::exception_ptr error) {
    (how == how_ended::failed ? from_producer_ : from_consumer_) = std::move(error);
    set(how);
  }

  /// Throws what the other side left, if it was seen to leave something.
  void rethrow_from_producer(endings seen) const {
    if (seen.any_of(how_ended::failed)) std::rethrow_exception(from_producer_);
  }
  void rethrow_from_consumer(endings seen) const {
    if (seen.any_of(how_ended::consumer_failed)) std::rethrow_exception(from_consumer_);
  }

 private:
  typename Atomics::template atomic<unsigned> bits_{0};
  typename Atomics::plain_error from_producer_;
  typename Atomics::plain_error from_consumer_;
};

using stream_end = basic_stream_end<>;

}  // namespace ipuflow::queue
